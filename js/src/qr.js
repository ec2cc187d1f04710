// A link as a code that a telephone reads; a page loads this when somebody asks for one.

import { encode } from "uqr";

/** The squares of a text's QR code, row by row, true where dark; null for a text that is too long. */
export function squares(text) {
  try {
    return encode(text, { border: 2 }).data;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
