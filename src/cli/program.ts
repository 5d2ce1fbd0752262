import { Command, Option } from 'commander';
import { weirVersion } from '../lib/weir-version.ts';
import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

const output = (...formats: readonly string[]) =>
  new Option('-o, --output <format>', 'form of the answer').choices(formats).default('text');
const admin = () =>
  new Option(
    '--admin <address>',
    'admin address of a running weir: HOST:PORT or unix:PATH (default: 127.0.0.1:9180, or WEIR_ADMIN)',
  );
const tokenFile = () => new Option('--admin-token-file <file>', 'file that holds the admin token, where one is set');
const gather = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const manifests = (note = '') =>
  new Option(
    '-f, --filename <path>',
    `folder or file of manifests, may be repeated; - for standard input${note}`,
  ).argParser(gather);
// Not mandatory to commander, which would call it missing where it is misspelt.
const neededManifests = () => manifests(' (required)');
// These two mean what they mean to `weir run`, which takes them from the environment, too.
const ingressClass = () =>
  new Option('--ingress-class <name>', 'ingress class that is served, may be repeated (default: weir)')
    .env('WEIR_INGRESS_CLASS')
    .argParser((value: string, before: string[] | undefined) => [...(before ?? []), ...value.split(/ *, */)]);
const certificate = () =>
  new Option('--default-ssl-certificate <namespace/name>', 'TLS Secret used where no other certificate fits').env(
    'WEIR_DEFAULT_SSL_CERTIFICATE',
  );

const SERVING = {
  run: 'serve a cluster or a folder of manifests, and follow its changes: controller and proxy in one',
  controller: 'read a cluster or a folder of manifests, and offer what it asks for to proxies; serves nothing itself',
  proxy: 'serve what a controller offers; needs no access to a cluster',
} as const;

/**
 * The command line. Each verb's own code is loaded when it is called; `verbs` names those whose options are wanted
 * (those that serve have one for every setting, which takes a moment to load).
 */
export async function buildProgram(
  terminal: Terminal,
  done: (code: ExitCode) => void,
  verbs: readonly string[],
): Promise<Command> {
  const program = new Command('weir')
    .description('Ingress controller for nginx: reads Kubernetes manifests, programs load balancers, says why.')
    .configureOutput({ writeOut: (text) => terminal.out.write(text), writeErr: (text) => terminal.err.write(text) })
    .exitOverride()
    .showHelpAfterError('(`weir --help` and `weir VERB --help` tell more)')
    .addHelpText(
      'after',
      '\nExit status: 0 ok, 1 findings, 2 bad usage or unreadable input, 3 load balancer or running weir unreachable, 70 a fault of weir.',
    );

  for (const [verb, description] of Object.entries(SERVING)) {
    const command = program.command(verb).description(description);
    if (verbs.includes(verb)) (await import('./run-options.ts')).addRunOptions(command, verb as keyof typeof SERVING);
    command.action(async (options) =>
      done(await (await import('./run.ts')).run(terminal, options, verb as keyof typeof SERVING)),
    );
  }

  program
    .command('check')
    .description('findings about manifests: code, object, file:line:column, fix')
    .addOption(neededManifests())
    .addOption(ingressClass())
    .addOption(certificate())
    .addOption(output('text', 'json', 'yaml', 'sarif', 'github'))
    .addOption(
      new Option('--fail-on <severity>', 'least severe finding for exit status 1')
        .choices(['error', 'warning', 'info'])
        .default('error'),
    )
    .action(async (options) => done(await (await import('./check.ts')).check(terminal, options)));

  program
    .command('render')
    .description('what would be programmed; writes nothing elsewhere; secrets are redacted')
    .addOption(neededManifests())
    .addOption(
      new Option('--to <what>', 'the model, or what a load balancer would get')
        .choices(['model', 'nginx'])
        .makeOptionMandatory(),
    )
    .addOption(ingressClass())
    .addOption(certificate())
    .addOption(output('text', 'json', 'yaml'))
    .action(async (options) => done(await (await import('./render.ts')).render(terminal, options)));

  program
    .command('explain')
    .description('which rule serves a URL, which lost and why; or what an annotation or a code means')
    .usage('[options] URL | annotation NAME | code WEIRxxxx')
    .argument('<subject>', 'a URL, or the word annotation or code')
    .argument('[name]', 'the annotation or the code')
    .addOption(new Option('-X, --method <method>', 'method of the request').default('GET'))
    .addOption(new Option('-H, --header <name:value>', 'header of the request, may be repeated').argParser(gather))
    .addOption(manifests())
    .addOption(ingressClass())
    .addOption(certificate())
    .addOption(admin())
    .addOption(tokenFile())
    .addOption(output('text', 'json', 'yaml'))
    .action(async (subject, name, options) =>
      done(await (await import('./explain.ts')).explain(terminal, subject, name, options)),
    );

  program
    .command('status')
    .description('how a running weir is, and what is wrong with the manifests it serves')
    .addOption(admin())
    .addOption(tokenFile())
    .addOption(new Option('-v, --all', 'list every finding, not only the first errors and warnings'))
    .addOption(new Option('--wait <duration>', 'first wait until all that the sources hold is in force (30s, 2m)'))
    .addOption(new Option('--live', 'only whether it is alive (exit status 0), for probes').conflicts('ready'))
    .addOption(new Option('--ready', 'only whether it serves a complete model (exit status 0, else 1), for probes'))
    .addOption(output('text', 'json', 'yaml'))
    .action(async (options) => done(await (await import('./status.ts')).status(terminal, options)));

  program
    .command('drain')
    .description('have a running weir let its clients go; returns when it can be stopped (for preStop)')
    .addOption(admin())
    .addOption(tokenFile())
    .addOption(new Option('--cancel', 'take a drain back'))
    .action(async (options) => done(await (await import('./drain.ts')).drain(terminal, options)));

  program
    .command('version')
    .description('version of weir and of what it runs on')
    .addOption(output('text', 'json', 'yaml'))
    .action(async (options) => done(await (await import('./version.ts')).version(terminal, options)));
  program.version(weirVersion(), '-V, --version', 'version of weir');
  return program;
}
