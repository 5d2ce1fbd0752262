import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnpackedImage } from './unpack-image.ts';

const LOW_PORTS = 'cap_net_bind_service';

/**
 * An unpacked image as the root of processes that are started as a kubelet starts a restricted container: the image's
 * account, no new privileges, a read-only root file system, one directory that may be written, no capability but one
 * that was asked for. Needs mount and network namespaces of its own, which this process must have been started in.
 */
export class ImageSandbox {
  readonly #root: string;
  readonly #image: UnpackedImage;

  constructor(root: string, image: UnpackedImage, directories: { readonly state: string; readonly manifests: string }) {
    this.#root = root;
    this.#image = image;
    const mount = (...args: readonly string[]) => execFileSync('mount', args);
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
    mount('--bind', root, root);
    mount('-t', 'proc', 'proc', join(root, 'proc'));
    mount('-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', join(root, 'dev'));
    for (const name of ['null', 'zero', 'urandom', 'random']) {
      writeFileSync(join(root, 'dev', name), '');
      mount('--bind', `/dev/${name}`, join(root, 'dev', name));
    }
    mkdirSync(directories.state, { recursive: true });
    chownSync(directories.state, Number(image.user.split(':')[0]), Number(image.user.split(':')[1]));
    mount('--bind', directories.state, join(root, 'var/lib/weir'));
    mount('--bind', '-o', 'ro', directories.manifests, join(root, 'run'));
    mount('-o', 'remount,ro,bind', root);
  }

  /** Starts `command` with the capability to bind low ports permitted, as a runtime does for `add: [NET_BIND_SERVICE]`, or with none. */
  start(command: readonly string[], lowPorts: boolean): ChildProcess {
    const [user, group] = this.#image.user.split(':');
    const [program = '', ...args] = command;
    const kept = lowPorts ? LOW_PORTS : '';
    const dropped = capabilities().filter((name) => name !== kept);
    const environment = Object.fromEntries(this.#image.environment.map((pair) => pair.split(/=(.*)/su, 2)));
    const options = [
      `--drop=${dropped.join(',')}`,
      `--chroot=${this.#root}`,
      '--keep=1',
      `--gid=${group}`,
      `--uid=${user}`,
      `--caps=${lowPorts ? `${LOW_PORTS}=ep` : '='}`,
      '--no-new-privs',
      `--shell=${program}`,
      '--',
      ...args,
    ];
    // In a container tini is the first process, which here it isn't.
    const env = { ...environment, PATH: `${environment.PATH}:/sbin`, TINI_SUBREAPER: '1' };
    return spawn('capsh', options, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** What `command` writes. Rejects with it where its exit status isn't 0. */
  async output(command: readonly string[]): Promise<string> {
    const child = this.start(command, false);
    const text = collect(child);
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${text()}`);
    return text();
  }
}

/** What a process has written so far. */
export function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

function capabilities(): readonly string[] {
  const text = execFileSync('capsh', ['--print'], { encoding: 'utf8' });
  return /^Bounding set =(.*)$/mu.exec(text)?.[1]?.split(',') ?? [];
}
