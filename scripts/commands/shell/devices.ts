import type { Operations } from '../../../http/openapi/client/gateway.generated.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { Failure } from '../cluster/operator.ts';
import { table } from '../cluster/table.ts';
import { type Command, given, type Options, type Shell, textOf } from './command.ts';

const LOOK_MS = 500;
const PATIENCE_MS = 5 * 60_000;

const COLUMNS = [{ title: 'DEVICE' }, { title: 'STATUS' }, { title: 'PHONE' }, { title: 'NAME' }];

export const DEVICES: readonly Command[] = [
  {
    name: 'devices',
    about: 'List the linked phones.',
    async run({ api }) {
      const found = await api.call('listSessions', {});
      const rows = found.sessions.map(({ id, status, phone_number, name }) => [id, status, phone_number ?? '-', name ?? '']);
      return { json: found, text: rows.length === 0 ? 'No devices yet. Run `gateway link`.' : table(COLUMNS, rows) };
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
  const id = textOf(options, 'session') ?? (await api.call('createSession', { body: given({ name: textOf(options, 'name') }) })).id;
  const params = { sessionId: id };
  await api.call('connectSession', { params });
  const phone = textOf(options, 'phone');
  if (phone !== undefined) {
    const { code } = await api.call('requestPairingCode', { params, body: { phone } });
    shell.tell(`Type this code on the phone (Linked devices → Link with phone number): ${code}`);
  }
  const device = await untilLinked(shell, params, phone === undefined);
  return { json: device, text: `Linked: ${device.phone_number} is online as ${device.id}.` };
}

interface AtDevice {
  readonly sessionId: string;
}

async function untilLinked(shell: Shell, params: AtDevice, showsCodes: boolean): Promise<Operations['getSession']['answer']> {
  let shown: string | null = null;
  let passkey: string | null = null;
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    const device = await shell.api.call('getSession', { params });
    if (device.status === 'connected') return device;
    if (device.status === 'failed') throw new Failure('The network refused to link this phone. Run `gateway link` again.');
    if (device.pairing?.step.startsWith('passkey')) passkey = await showPasskey(shell, params, passkey);
    if (showsCodes && device.status === 'qr_ready') shown = await showCode(shell, params, shown);
    await pause(systemClock, LOOK_MS);
  }
  throw new Failure('The phone was not linked within five minutes. Run `gateway link` again.');
}

/** Some accounts require a passkey and then a code comparison. Returns the last instruction shown. */
async function showPasskey(shell: Shell, params: AtDevice, said: string | null): Promise<string | null> {
  const asked = await shell.api.call('getPasskeyStep', { params }).catch(() => null);
  const next = asked?.code ?? asked?.ceremony?.url ?? null;
  if (!asked || next === null || next === said) return said;
  const { code, ceremony } = asked;
  if (shell.isJson) shell.tell(JSON.stringify({ passkey: { code, ceremony } }));
  else if (code === null) shell.tell(`The network asks for a passkey. Open the extension in a browser and paste this link there:\n${next}`);
  else await compare(shell, params, code);
  return next;
}

/** If there is no terminal, the user can confirm in the extension, in the console or through the API. */
async function compare(shell: Shell, params: AtDevice, code: string): Promise<void> {
  shell.tell(`Compare this code with the one on the phone: ${code}`);
  const answer = await shell.ask('Do the codes match? (y/n): ', 'a terminal').catch(() => null);
  if (answer === null) return shell.tell('Not a terminal. Confirm it in the extension or in the console.');
  if (!/^y/i.test(answer.trim())) throw new Failure('The codes differ, so the phone was not linked. Run `gateway link` again.');
  // This call fails if the code has already been confirmed elsewhere. The error can be ignored.
  await shell.api.call('confirmPasskey', { params }).catch(() => undefined);
}

async function showCode(shell: Shell, params: AtDevice, shown: string | null): Promise<string | null> {
  const { api } = shell;
  const { qr } = await api.call('getQr', { params }).catch(() => ({ qr: shown }));
  if (qr === shown) return shown;
  if (shell.isJson) shell.tell(JSON.stringify({ qr }));
  else
    shell.tell(
      `${await api.text('getQr', { params, query: { format: 'text' } })}\nScan this code with the phone: Linked devices → Link a device`,
    );
  return qr;
}
