import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../src/diagnostics/finding.ts';
import { type Reply, request, type RequestOptions } from './clients/http-client.ts';
import { ManifestFolder } from './manifest-folder.ts';
import type { Manifest } from './manifests.ts';
import type { Scope } from './scope.ts';
import { startWeir, type Weir } from './weir.ts';

/** A finding as a test expects it. */
export interface ExpectedFinding {
  readonly code: string;
  readonly severity: Finding['severity'];
  /** `Ingress default/shop`, `IngressClass nginx`, `File` for the file itself. */
  readonly object: string;
  readonly field: string;
  /** In the folder, or a whole path. */
  readonly file: string;
  /** What stands at the place that is told; exactly once in the file. */
  readonly at: string;
  readonly message?: RegExp;
}

export interface FolderOptions {
  readonly args?: readonly string[];
  /** Paths of folders that are served, too. */
  readonly also?: readonly string[];
}

/** A folder of manifests and the weir that serves it: what happens to requests, and what is said, when files change. */
export class ServedFolder {
  readonly weir: Weir;
  readonly folder: ManifestFolder;

  private constructor(weir: Weir, folder: ManifestFolder) {
    this.weir = weir;
    this.folder = folder;
  }

  static async start(scope: Scope, { args = [], also = [] }: FolderOptions = {}): Promise<ServedFolder> {
    const folder = new ManifestFolder(scope);
    return new ServedFolder(await startWeir(scope, { manifests: [folder.path, ...also], args }), folder);
  }

  /** Writes the file and waits until what it says is in force. */
  async write(file: string, content: readonly Manifest[] | string): Promise<void> {
    this.folder.write(file, content);
    await this.weir.settled();
  }

  async remove(file: string): Promise<void> {
    this.folder.remove(file);
    await this.weir.settled();
  }

  /** Plain HTTP; with `tls`, HTTPS. */
  get(host: string, path = '/', options: Partial<RequestOptions> = {}): Promise<Reply> {
    const port = options.tls === undefined ? this.weir.httpPort : this.weir.httpsPort;
    return request({ port, host, path, ...options });
  }

  /** Name of the backend that answered; the status where none did. */
  async answer(host: string, path = '/', options: Partial<RequestOptions> = {}): Promise<string> {
    const { status, headers } = await this.get(host, path, options);
    return status === 200 ? String(headers['x-backend']) : String(status);
  }

  /** Who answered `count` requests, each once, sorted. */
  async answers(count: number, host: string, path = '/'): Promise<readonly string[]> {
    const names = new Set<string>();
    for (let sent = 0; sent < count; sent += 1) names.add(await this.answer(host, path));
    return [...names].sort();
  }

  /** `filter`: a query as /api/v1/diagnostics takes it (`name=shop&code=WEIR0103`). */
  async findings(filter = ''): Promise<readonly Finding[]> {
    const path = `/api/v1/diagnostics?limit=1000&${filter}`;
    return (await this.weir.admin<{ readonly items: readonly Finding[] }>(path)).items;
  }

  /** What is said about objects of this name is these things (in any order), each at its place. */
  async reports(...expected: readonly [ExpectedFinding, ...ExpectedFinding[]]): Promise<void> {
    const [{ object, file }] = expected;
    const name = object === 'File' ? this.#path(file) : (object.split(/[ /]/).at(-1) ?? '');
    const found = await this.findings(`name=${encodeURIComponent(name)}`);
    const wanted = expected.map((finding) => this.#shown(finding)).sort();
    assert.deepEqual(found.map(shown).sort(), wanted, JSON.stringify(found, undefined, 1));
    for (const { code, at, message = /./ } of expected) {
      const match = found.find((finding) => finding.code === code && message.test(finding.message));
      assert.ok(match, `no ${code} at ${at} says ${message}: ${found.map((finding) => finding.message).join('\n')}`);
      assert.notEqual(match.fix, '');
    }
  }

  #path(file: string): string {
    return file.startsWith('/') ? file : join(this.folder.path, file);
  }

  #shown({ code, severity, object, field, file, at }: ExpectedFinding): string {
    const whole = this.#path(file);
    const before = readFileSync(whole, 'utf8').split(at);
    assert.equal(before.length, 2, `${JSON.stringify(at)} stands ${before.length - 1} times in ${file}`);
    const lines = (before[0] ?? '').split('\n');
    return `${severity} ${code} ${object} ${field} ${whole}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
  }
}

function shown({ code, severity, object, field, file, line, column }: Finding): string {
  const { kind, namespace, name } = object;
  const what = kind === 'File' ? kind : `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  return `${severity} ${code} ${what} ${field} ${file}:${line}:${column}`;
}
