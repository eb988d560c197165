// Compiles a component of Svelte: `node compile_svelte.mjs FILE client|server OUT`. The compiler is found beside OUT.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , file, generate, out] = process.argv;
const { compile } = createRequire(out)("svelte/compiler");
writeFileSync(out, compile(readFileSync(file, "utf8"), { generate, filename: file }).js.code);
