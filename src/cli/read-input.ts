import type { Finding } from '../diagnostics/finding.ts';
import type { Model } from '../model/model.ts';
import { ManifestsUnavailable } from '../sources/files/manifests-unavailable.ts';
import { type ReadManifests, readManifests } from '../sources/files/read-manifests.ts';
import type { Translator } from '../translate/translator.ts';
import { translatorFor } from './translator-for.ts';
import { UsageError } from './usage-error.ts';

/** Flags that check, render and explain share. */
export interface ManifestOptions {
  readonly filename?: readonly string[];
  readonly ingressClass?: readonly string[];
  readonly defaultSslCertificate?: string;
}

export interface Input {
  readonly model: Model;
  /** Of reading and of translating. */
  readonly findings: readonly Finding[];
  readonly locate: ReadManifests['locate'];
  /** Number of objects read. */
  readonly objects: number;
  /** Kinds of which there is at least one object. */
  readonly kinds: ReadonlySet<string>;
  readonly translator: Translator;
}

/** Reads manifests once and translates them as `weir run` would. Rejects with a UsageError if they can't be read. */
export async function readInput(options: ManifestOptions): Promise<Input> {
  const { filename } = options;
  if (filename === undefined)
    throw new UsageError('nothing says which manifests.', 'Give -f DIR, -f FILE, or -f - for standard input.');
  let read: ReadManifests;
  try {
    read = await readManifests(filename);
  } catch (error) {
    if (!(error instanceof ManifestsUnavailable)) throw error;
    throw new UsageError(error.message, 'Give a folder or file of manifests with -f, or - for standard input.');
  }
  const translator = translatorFor({
    ingressClasses: options.ingressClass ?? ['weir'],
    defaultCertificate: options.defaultSslCertificate,
    httpPort: 80,
    httpsPort: 443,
    trustedProxies: [],
  });
  translator.update(read.changes);
  return {
    model: translator.model,
    findings: [...read.findings, ...translator.findings()],
    locate: read.locate,
    objects: read.changes.length,
    kinds: new Set(read.changes.map((change) => (change.type === 'put' ? change.resource.ref : change.ref).kind)),
    translator,
  };
}
