import { type Command, Option } from 'commander';
import type { SettingShape } from '../config/read-setting.ts';
import { type ServingCommand, settingsOf } from '../config/setting-commands.ts';
import { Settings } from '../config/settings.ts';

/** Gives a serving command a flag for each of its settings, and --config. Values stay text: the settings' own reader judges them. */
export function addRunOptions(command: Command, verb: ServingCommand): void {
  for (const key of settingsOf(verb)) command.addOption(settingOption(key, Settings.properties[key] as SettingShape));
  command.addOption(new Option('--config <file>', 'file of settings (weir.yaml); also WEIR_CONFIG'));
  command.addHelpText(
    'after',
    '\nEvery setting can also be given as WEIR_… in the environment (WEIR_HTTP_PORT=8080) or in weir.yaml (http-port: 8080); flags come first, then the environment.',
  );
}

function settingOption(key: string, shape: SettingShape): Option {
  const list = shape.type === 'array';
  const argument = shape.type === 'boolean' ? '' : ` <${shape.placeholder}${list ? '...' : ''}>`;
  const byDefault = defaultText(shape);
  const option = new Option(
    `--${key}${argument}`,
    `${shape.description}${byDefault === '' ? '' : ` (default: ${byDefault})`}`,
  );
  if (!list) return option;
  return option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
}

function defaultText({ default: value }: SettingShape): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
