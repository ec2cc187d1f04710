// Bundles the front-end into the two files that ship with the package: npm install && npm run build
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";

const out = "../progtf/views/static";
await build({
  entryPoints: { progtf: "src/main.js" },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "ascii",
  legalComments: "none",
});

// The licences of everything that was bundled.
const names = readdirSync("node_modules", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
  .flatMap(({ name }) => (name.startsWith("@") ? readdirSync(`node_modules/${name}`).map((inner) => `${name}/${inner}`) : [name]))
  .filter((name) => !name.includes("esbuild"));
const notice = names.map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  const file = `node_modules/${name}/LICENSE`;
  return `${name} ${version} (${license})\n\n${existsSync(file) ? readFileSync(file, "utf8").trim() : license}\n`;
});
const line = "-".repeat(72);
writeFileSync(`${out}/NOTICE.txt`, `progtf.js holds these packages:\n\n${notice.join(`\n${line}\n\n`)}`);
