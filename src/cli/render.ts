import { encodeModel } from '../model/codec.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type ManifestOptions, readInput } from './read-input.ts';
import { structured } from './structured.ts';
import { type Terminal, write } from './terminal.ts';

interface RenderOptions extends ManifestOptions {
  readonly to: 'model' | 'nginx';
  readonly output: 'text' | 'json' | 'yaml';
}

/** Prints what would be programmed, secrets redacted. As text, the model is YAML and nginx is its configuration, then its records. */
export async function render(terminal: Terminal, options: RenderOptions): Promise<ExitCode> {
  const { model } = await readInput(options);
  if (options.to === 'model') {
    await write(terminal.out, await structured(encodeModel(model), options.output === 'json' ? 'json' : 'yaml'));
    return EXIT.ok;
  }
  const { renderNginx } = await import('../drivers/nginx/render-nginx.ts');
  const { configuration, records } = renderNginx(model);
  if (options.output !== 'text') {
    await write(terminal.out, await structured({ configuration, records }, options.output));
    return EXIT.ok;
  }
  const lines = Object.entries(records).map(([key, record]) => `${key} ${JSON.stringify(record)}\n`);
  await write(
    terminal.out,
    `${configuration}\n# Records that nginx gets as data, each with its key:\n${lines.map((line) => `# ${line}`).join('')}`,
  );
  return EXIT.ok;
}
