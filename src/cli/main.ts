import { runCommandLine } from './command-line.ts';

// They are for this process, which has read them; nginx must not inherit them.
for (const name of ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_']) delete process.env[name];

// The single executable is no module, and so has no `await` here.
void runCommandLine(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
}).then((code) => (process.exitCode = code));
