import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotToBeHad } from './not-to-be-had.ts';

const run = promisify(execFile);

/** Of the Debian archive, whichever mirror serves it. */
const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.pgp', '/usr/share/keyrings/debian-archive-keyring.gpg'];
const TIMEOUT_MS = 180_000;

/** Where the machine's own apt gets a release from. */
interface ConfiguredSource {
  readonly uri: string;
  /** As the sources name it: `bookworm`, `bookworm-security`, `stable`. */
  readonly names: readonly string[];
}

/**
 * An apt with directories of its own and nothing installed, that gets another release from the mirrors this machine's
 * apt is configured for, with its proxies and credentials, and believes what the Debian archive has signed.
 */
export class PrivateApt {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Downloads packages with all they depend on; the paths of the files. `here`: the release that the machine runs. */
  async download(here: string, wanted: string, packages: readonly string[]): Promise<readonly string[]> {
    await this.#configure(await this.#sources(here, wanted));
    await this.#apt(['update']);
    await this.#apt(['install', '--no-install-recommends', '--download-only', ...packages]);
    // Versions that an earlier download left here.
    await this.#apt(['autoclean']);
    return globSync(join(this.#directory, 'cache/archives/*.deb')).toSorted();
  }

  async #sources(here: string, wanted: string): Promise<string> {
    const keyring = KEYRINGS.find((path) => existsSync(path));
    if (keyring === undefined)
      throw new NotToBeHad('the keys of the Debian archive (debian-archive-keyring) are missing');
    const configured = await configuredSources();
    const lines = ['', '-security'].flatMap((suffix) => {
      const found = configured.find(({ names }) => names.includes(`${here}${suffix}`));
      return found === undefined ? [] : [`deb [signed-by=${keyring}] ${found.uri} ${wanted}${suffix} main\n`];
    });
    if (!lines.some((line) => line.includes(` ${wanted} `))) throw new NotToBeHad(`apt has no source for ${here}`);
    return lines.join('');
  }

  async #configure(sources: string): Promise<void> {
    const path = (name: string) => join(this.#directory, name);
    for (const name of ['state/lists/partial', 'cache/archives/partial']) mkdirSync(path(name), { recursive: true });
    writeFileSync(path('status'), '');
    writeFileSync(path('sources.list'), sources);
    const { stdout } = await run('dpkg', ['--print-architecture']);
    const values = {
      'Dir::State': path('state'),
      'Dir::State::status': path('status'),
      'Dir::Cache': path('cache'),
      'Dir::Cache::archives': path('cache/archives'),
      'Dir::Etc::sourcelist': path('sources.list'),
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::Etc::preferences': '/dev/null',
      'Dir::Etc::preferencesparts': '/dev/null',
      'APT::Architectures::': stdout.trim(),
      'APT::Get::AllowUnauthenticated': 'false',
      'Acquire::AllowInsecureRepositories': 'false',
      'Acquire::Languages': 'none',
      // Otherwise an update that reached nobody passes for one.
      'APT::Update::Error-Mode': 'any',
      'Acquire::Retries': '1',
      'Acquire::http::Timeout': '20',
      'Acquire::https::Timeout': '20',
    };
    // What the machine does after an update or a download, and which release it prefers, is for its own packages.
    const cleared = [
      'APT::Update',
      'APT::Default-Release',
      'APT::Architectures',
      'DPkg::Post-Invoke',
      'APT::Keep-Downloaded-Packages',
    ];
    const text = [
      ...cleared.map((name) => `#clear ${name};\n`),
      ...Object.entries(values).map(([name, value]) => `${name} "${value}";\n`),
    ];
    writeFileSync(path('apt.conf'), text.join(''));
  }

  async #apt(args: readonly string[]): Promise<void> {
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    const options = { env, timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 };
    try {
      await run('apt-get', ['-q', '-y', '-c', join(this.#directory, 'apt.conf'), ...args], options);
    } catch (error) {
      const words = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
      const why = words.split('\n').find((line) => line.startsWith('E: ')) ?? 'it gave no answer in time';
      throw new NotToBeHad(`apt-get ${args[0]}: ${why.replace(/^E: /u, '')}`);
    }
  }
}

async function configuredSources(): Promise<readonly ConfiguredSource[]> {
  const format = '$(REPO_URI)\t$(COMPONENT)\t$(RELEASE)\t$(CODENAME)';
  const args = ['indextargets', '--format', format, 'Created-By: Packages'];
  const { stdout } = await run('apt-get', args).catch(() => {
    throw new NotToBeHad('this machine has no apt');
  });
  return stdout.split('\n').flatMap((line) => {
    const [uri = '', component, ...names] = line.split('\t');
    return component === 'main' && !uri.startsWith('cdrom:') ? [{ uri, names }] : [];
  });
}
