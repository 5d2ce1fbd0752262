import { findNginx } from '../drivers/nginx/supervisor/nginx-installation.ts';
import { weirVersion } from '../lib/weir-version.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { structured } from './structured.ts';
import { type Terminal, write } from './terminal.ts';

/** Versions of weir, of its Node, and of the nginx that `weir run` would find on this machine. */
export async function version(
  terminal: Terminal,
  options: { readonly output: 'text' | 'json' | 'yaml' },
): Promise<ExitCode> {
  const platform = `${process.platform}-${process.arch}`;
  const nginx = await findNginx(terminal.environment.WEIR_NGINX).catch(() => undefined);
  const facts = {
    weir: weirVersion(),
    node: process.versions.node,
    platform,
    ...(nginx === undefined ? {} : { nginx: nginx.version, nginxPath: nginx.executable }),
  };
  const words = nginx === undefined ? 'nginx: none that weir can use' : `nginx ${nginx.version} (${nginx.executable})`;
  const text =
    options.output === 'text'
      ? `weir ${facts.weir}\nNode ${facts.node} (${platform})\n${words}\n`
      : await structured(facts, options.output);
  await write(terminal.out, text);
  return EXIT.ok;
}
