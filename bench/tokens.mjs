// Reads a JSON list of file names on stdin and prints how many o200k_base tokens each file holds.
// Runs in the folder where gpt-tokenizer is installed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { countTokens } = createRequire(process.cwd() + "/")("gpt-tokenizer/encoding/o200k_base");
const files = JSON.parse(readFileSync(0, "utf8"));
// A page may hold the text of a special token; here it is only text.
const counts = files.map((file) => countTokens(readFileSync(file, "utf8"), { disallowedSpecial: new Set() }));
process.stdout.write(JSON.stringify(counts));
