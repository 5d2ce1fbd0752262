/**
 * Exits 0 when node_modules already holds what package-lock.json asks for (after an `npm install`, say), 1 otherwise.
 * Runs on Node 18: it is asked before Node 26 is there.
 */
import { readFileSync } from 'node:fs';

function packages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const wanted = packages('package-lock.json');
const present = packages('node_modules/.package-lock.json');
if (wanted === undefined || present === undefined) process.exit(1);

for (const [path, entry] of Object.entries(wanted)) {
  if (path === '') continue;
  const found = present[path];
  if (found === undefined ? !entry.optional : found.version !== entry.version) process.exit(1);
}
for (const path of Object.keys(present)) if (wanted[path] === undefined) process.exit(1);
