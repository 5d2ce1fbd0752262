import { variableName } from '../../src/config/load-settings.ts';
import { expectation, type SettingShape } from '../../src/config/read-setting.ts';
import { commandsOf, SERVING_COMMANDS } from '../../src/config/setting-commands.ts';
import { SETTING_KEYS, Settings } from '../../src/config/settings.ts';

const INTRODUCTION = `# Settings

<!-- Written by tools/generate-reference.ts from src/config/settings.ts. Don’t edit. -->

Everything that \`weir run\`, \`weir controller\` and \`weir proxy\` may be told. Where a setting isn’t for all three, it says for
which; in the environment and in the file one that is for another command is passed over, so that one file may serve them all. A setting has one name everywhere: as a flag (\`--http-port 8080\`), as a variable
(\`WEIR_HTTP_PORT=8080\`) and in the file that \`--config\` (or \`WEIR_CONFIG\`) names:

\`\`\`yaml
# weir.yaml
manifests: [./manifests]
http-port: 8080
trusted-proxies: [10.0.0.0/8, 192.168.0.0/16]
\`\`\`

Flags come first, then the environment, then the file, then the default. A list replaces that of a lower layer; it is a repeated flag,
a comma-separated variable, or a YAML list. All that is wrong is told at once, each with its key, its place and what to write instead; an unknown key is wrong,
too. Variables that Kubernetes sets for a Service called \`weir\` (\`WEIR_SERVICE_HOST\` and its kin) are passed over.`;

/** docs/reference/config.md */
export function configPage(): string {
  return `${[INTRODUCTION, ...SETTING_KEYS.map(section)].join('\n\n')}\n`;
}

function section(key: (typeof SETTING_KEYS)[number]): string {
  const shape = Settings.properties[key] as SettingShape;
  const list = shape.type === 'array';
  const flag = shape.type === 'boolean' ? `--${key}` : `--${key} ${shape.placeholder}${list ? '…' : ''}`;
  return [
    `## \`${key}\``,
    shape.description ?? '',
    [
      `- Flag: \`${flag}\``,
      `- Variable: \`${variableName(key)}\``,
      `- Value: ${expectation(shape)}`,
      `- Default: ${defaultText(shape)}`,
      ...commandsText(key),
    ].join('\n'),
  ].join('\n\n');
}

function commandsText(key: (typeof SETTING_KEYS)[number]): readonly string[] {
  const commands = commandsOf(key);
  if (commands.length === SERVING_COMMANDS.length) return [];
  return [`- For: ${commands.map((command) => `\`weir ${command}\``).join(', ')}`];
}

function defaultText({ default: value }: SettingShape): string {
  if (value === undefined) return 'see above';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((item) => `\`${String(item)}\``).join(', ');
  return `\`${String(value)}\``;
}
