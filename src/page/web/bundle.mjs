// node bundle.mjs DIRECTORY: writes the files of the page there. They depend on the sources and on
// the lock file only: PAGE-9 goes by their content.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (out === undefined) {
  console.error("usage: node bundle.mjs DIRECTORY");
  process.exit(2);
}

const made = await build({
  absWorkingDir: here,
  entryPoints: { app: "main.tsx", style: "style.css" },
  outdir: out,
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});

// The first 16 digits, as cmake/BerthBundle.cmake has them.
const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
mkdirSync(out, { recursive: true });
let index = readFileSync(join(here, "index.html"), "utf8");
for (const file of made.outputFiles) {
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  writeFileSync(join(out, name), file.contents);
  index = index.replace(`"${name}"`, `"${name}?${hashOf(file.contents)}"`);
}
writeFileSync(join(out, "index.html"), index);

const require = createRequire(import.meta.url);
const packages = JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies;
let licences = "The page of berthd contains these packages.\n";
for (const name of Object.keys(packages).sort()) {
  const directory = join(here, "..", "node_modules", name);
  const { version } = require(join(directory, "package.json"));
  licences += `\n${"=".repeat(80)}\n${name} ${version}\n\n`;
  licences += readFileSync(join(directory, "LICENSE"), "utf8").trimEnd() + "\n";
}
writeFileSync(join(out, "licences.txt"), licences);
