import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runTool } from '../machine/run-tool.ts';

export interface ImageSpec {
  /** With a tag. */
  readonly name: string;
  /** Paths in the image, each with the file on this machine that becomes an executable there. */
  readonly files: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly user?: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** The same files make the same archive, byte for byte. */
const REPRODUCIBLE = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];

/** Writes an image of one layer as an OCI archive (image layout, OCI image specification 1.0, in a tar file). */
export async function writeOciArchive(image: ImageSpec, archive: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'weir-image-'));
  try {
    const root = join(scratch, 'root');
    for (const [path, source] of Object.entries(image.files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      copyFileSync(source, join(root, path));
      chmodSync(join(root, path), 0o755);
    }
    await runTool('tar', [...REPRODUCIBLE, '-C', root, '-cf', join(scratch, 'layer.tar'), '.']);
    const layout = join(scratch, 'layout');
    writeLayout(image, readFileSync(join(scratch, 'layer.tar')), layout);
    await runTool('tar', [...REPRODUCIBLE, '-C', layout, '-cf', archive, '.']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function writeLayout(image: ImageSpec, layer: Buffer, layout: string): void {
  mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
  const put = (mediaType: string, content: Buffer) => {
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(layout, 'blobs', 'sha256', hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  };
  const layerBlob = put('application/vnd.oci.image.layer.v1.tar', layer);
  const config = put(
    'application/vnd.oci.image.config.v1+json',
    json({
      architecture: ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config: { Entrypoint: image.entrypoint, User: image.user ?? '65534:65534' },
      rootfs: { type: 'layers', diff_ids: [layerBlob.digest] },
    }),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = put(mediaType, json({ schemaVersion: 2, mediaType, config, layers: [layerBlob] }));
  const annotations = { 'io.containerd.image.name': image.name, 'org.opencontainers.image.ref.name': image.name };
  writeFileSync(join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }));
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
