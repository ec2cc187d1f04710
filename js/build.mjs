// Bundles the front-end into the files that ship with the package: npm install && npm run build
import { build } from "esbuild";
import { readFileSync, writeFileSync, existsSync } from "node:fs";

const out = "../progtf/views/static";
const { metafile } = await build({
  entryPoints: { progtf: "src/main.js", widget: "src/widget.js", worker: "src/worker.js", qr: "src/qr.js" },
  external: ["./pyodide.mjs", "./pyodide.asm.mjs"],
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "ascii",
  legalComments: "none",
  metafile: true,
});

// The licences of everything that was bundled.
const bundled = Object.keys(metafile.inputs).map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
const names = [...new Set(bundled.filter(Boolean))].sort();
if (!names.length) throw new Error("no package was bundled from node_modules: their licences would be lost");
const notice = names.map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  const file = `node_modules/${name}/LICENSE`;
  return `${name} ${version} (${license})\n\n${existsSync(file) ? readFileSync(file, "utf8").trim() : license}\n`;
});
const line = "-".repeat(72);
writeFileSync(`${out}/NOTICE.txt`, `progtf.js and qr.js hold these packages:\n\n${notice.join(`\n${line}\n\n`)}`);
