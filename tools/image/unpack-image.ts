import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { readTar } from './read-tar.ts';

interface Described {
  readonly digest: string;
}

/** What an image says of how it is started. */
export interface UnpackedImage {
  readonly user: string;
  readonly environment: readonly string[];
  readonly entrypoint: readonly string[];
}

/** Unpacks an OCI archive as a container runtime would: every blob by its digest, the layers in their order into `directory`. */
export function unpackImage(archive: string, directory: string): UnpackedImage {
  const files = new Map(readTar(readFileSync(archive)).map(({ path, content }) => [path, Buffer.from(content)]));
  const blob = ({ digest }: Described): Buffer => {
    const [, hash = ''] = /^sha256:([0-9a-f]{64})$/u.exec(digest) ?? [];
    const content = files.get(`blobs/sha256/${hash}`);
    if (content === undefined) throw new Error(`${archive} has no blob ${digest}`);
    if (createHash('sha256').update(content).digest('hex') !== hash)
      throw new Error(`${archive}: ${digest} is another`);
    return content;
  };
  const index = JSON.parse(String(files.get('index.json'))) as { readonly manifests: readonly [Described] };
  const manifest = JSON.parse(String(blob(index.manifests[0]))) as { config: Described; layers: readonly Described[] };
  for (const layer of manifest.layers) {
    const args = ['-x', '--xattrs', '--xattrs-include=*', '--same-owner', '-C', directory];
    execFileSync('tar', args, { input: zstdDecompressSync(blob(layer)) });
  }
  const { config } = JSON.parse(String(blob(manifest.config))) as {
    config: { User: string; Env: readonly string[]; Entrypoint: readonly string[] };
  };
  return { user: config.User, environment: config.Env, entrypoint: config.Entrypoint };
}
