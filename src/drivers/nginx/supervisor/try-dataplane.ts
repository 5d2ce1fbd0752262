import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationInput, NginxSettings, RenderedConfiguration } from '../conf/configuration.ts';
import { defaultZones } from '../zones.ts';
import { Pusher } from '../push/pusher.ts';
import { recordChecksum } from '../records/record-text.ts';
import type { NginxInstallation } from './nginx-installation.ts';
import { NginxSupervisor } from './nginx-supervisor.ts';
import { StateDirectory } from './state-directory.ts';

const MEBIBYTE = 1_048_576;

/** Starts a throwaway nginx with a data plane and has it take a record; rejects with why it doesn't work. */
export async function testDataplane(
  installation: NginxInstallation,
  settings: NginxSettings,
  render: (input: ConfigurationInput) => RenderedConfiguration,
): Promise<void> {
  const directory = new StateDirectory(mkdtempSync(join(tmpdir(), 'weir-self-test-')));
  const supervisor = new NginxSupervisor(directory, installation);
  try {
    const { id, text } = render({
      closed: true,
      listeners: [],
      profiles: [],
      zones: defaultZones({ data: MEBIBYTE, certificates: MEBIBYTE, counters: MEBIBYTE }),
      settings: {
        ...settings,
        workers: 1,
        paths: { ...settings.paths, run: directory.run, temp: directory.temp, errorLog: directory.errorLog },
      },
    });
    await supervisor.start(text, id);
    const record = '{"routes":[]}';
    await new Pusher(supervisor.control).push(id, new Map([['h:self/test', recordChecksum(record)]]), () => record);
  } finally {
    await supervisor.drain(1000);
    rmSync(directory.root, { recursive: true, force: true });
  }
}
