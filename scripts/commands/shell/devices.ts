import { pause, systemClock } from '../../../runtime/clock.ts';
import { Failure } from '../cluster/operator.ts';
import { table } from '../cluster/table.ts';
import type { Json } from '../narrator.ts';
import { type Command, given, type Options, type Shell, textOf } from './command.ts';

const LOOK_MS = 500;
const PATIENCE_MS = 5 * 60_000;

const COLUMNS = [{ title: 'DEVICE' }, { title: 'STATUS' }, { title: 'PHONE' }, { title: 'NAME' }];

export const DEVICES: readonly Command[] = [
  {
    name: 'devices',
    about: 'List the linked phones.',
    async run({ api }) {
      const found = await api.call('GET', '/v1/sessions');
      const rows = found['sessions'].map((one: Json) => [one['id'], one['status'], one['phone_number'] ?? '-', one['name'] ?? '']);
      return { json: found, text: rows.length === 0 ? 'There is no device yet: run `gateway link`.' : table(COLUMNS, rows) };
    },
  },
  {
    name: 'link',
    about: 'Link a phone. Shows the QR code until it is scanned or, with --phone, a code to type in.',
    options: {
      name: { type: 'string', value: 'N', about: 'name of the device' },
      session: { type: 'string', value: 'ID', about: 'link this device again instead of a new one' },
      phone: { type: 'string', value: '+62…', about: 'show a code to type in on this phone instead' },
    },
    run: link,
  },
];

async function link(shell: Shell, _names: readonly string[], options: Options) {
  const { api } = shell;
  const id = textOf(options, 'session') ?? (await api.call('POST', '/v1/sessions', given({ name: textOf(options, 'name') })))['id'];
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  await api.call('POST', `${path}/connect`);
  const phone = textOf(options, 'phone');
  if (phone !== undefined) {
    const { code } = await api.call('POST', `${path}/pairing-code`, { phone });
    shell.tell(`Type this code on the phone (Linked devices → Link with phone number): ${code}`);
  }
  const device = await untilLinked(shell, path, phone === undefined);
  return { json: device, text: `Linked: ${device['phone_number']} is online as ${device['id']}.` };
}

/** Shows every new code, as the network gives one after another. */
async function untilLinked(shell: Shell, path: string, showsCodes: boolean): Promise<Json> {
  let shown: string | null = null;
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    const device = await shell.api.call('GET', path);
    if (device['status'] === 'connected') return device;
    if (device['status'] === 'failed') throw new Failure('The network refused to link this phone: run `gateway link` again.');
    if (showsCodes && device['status'] === 'qr_ready') shown = await showCode(shell, path, shown);
    await pause(systemClock, LOOK_MS);
  }
  throw new Failure('Nobody scanned the code within five minutes: run `gateway link` again.');
}

async function showCode(shell: Shell, path: string, shown: string | null): Promise<string | null> {
  const { api } = shell;
  const { qr } = await api.call('GET', `${path}/qr`).catch(() => ({ qr: shown }));
  if (qr === shown) return shown;
  if (shell.isJson) shell.tell(JSON.stringify({ qr }));
  else shell.tell(`${await api.text('GET', `${path}/qr?format=text`)}\nScan this with the phone: Linked devices → Link a device`);
  return qr;
}
