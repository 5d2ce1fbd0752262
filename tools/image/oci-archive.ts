import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { FileTree } from './file-tree.ts';
import { writeTar } from './write-tar.ts';

const LEVEL = 9;

/** What the image says of itself besides its files. */
export interface ImageConfig {
  /** `amd64` or `arm64`. */
  readonly architecture: string;
  readonly user: string;
  readonly environment: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface ImageLayer {
  readonly comment: string;
  readonly tree: FileTree;
}

export interface OciArchive {
  readonly archive: Buffer;
  /** Of the image's manifest. */
  readonly digest: string;
  /** Bytes of each layer. */
  readonly layers: readonly { readonly comment: string; readonly unpacked: number; readonly packed: number }[];
}

/** An OCI image layout (image-spec 1.1) in a tar archive, the same bytes for the same layers. `name`: `localhost/weir:1`. `time`: seconds. */
export async function ociArchive(
  name: string,
  config: ImageConfig,
  layers: readonly ImageLayer[],
  time: number,
): Promise<OciArchive> {
  const created = new Date(time * 1000).toISOString();
  const tree = new FileTree(time);
  const blob = (mediaType: string, content: Buffer) => {
    const hash = sha256(content);
    tree.file(`blobs/sha256/${hash}`, content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  };
  const packed = await Promise.all(
    layers.map(async ({ comment, tree: files }) => {
      const tar = writeTar(files.entries());
      const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
      return { comment, tar, content: await promisify(zstdCompress)(tar, { params }) };
    }),
  );
  const description = {
    created,
    architecture: config.architecture,
    os: 'linux',
    config: {
      User: config.user,
      Env: config.environment,
      Entrypoint: config.entrypoint,
      Cmd: config.command,
      Volumes: Object.fromEntries(config.volumes.map((path) => [path, {}])),
      Labels: config.labels,
    },
    rootfs: { type: 'layers', diff_ids: packed.map(({ tar }) => `sha256:${sha256(tar)}`) },
    history: packed.map(({ comment }) => ({ created, created_by: 'make package', comment })),
  };
  const manifest = blob(
    'application/vnd.oci.image.manifest.v1+json',
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: blob('application/vnd.oci.image.config.v1+json', json(description)),
      layers: packed.map(({ content }) => blob('application/vnd.oci.image.layer.v1.tar+zstd', content)),
      annotations: config.labels,
    }),
  );
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  tree.file('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  tree.file(
    'index.json',
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [{ ...manifest, annotations, platform: { architecture: config.architecture, os: 'linux' } }],
    }),
  );
  return {
    archive: writeTar(tree.entries()),
    digest: manifest.digest,
    layers: packed.map(({ comment, tar, content }) => ({ comment, unpacked: tar.length, packed: content.length })),
  };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
