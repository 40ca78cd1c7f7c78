import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { Api } from '../../scripts/commands/shell/api.ts';
import { answersTo, questions, redacted } from '../../scripts/commands/shell/probe/questions.ts';
import { aRealGateway } from '../actors/network/whatsapp/gateway.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const BEN = '6281211110002';

/** What a probe has, with the time of the test. */
const probingOf = (
  url: string,
  { token, device, admin }: { readonly token: string; readonly device: string; readonly admin: string },
  clock: { advance(ms: number): Promise<void>; now(): number },
  say: (line: string) => void,
) => ({
  ...{
    api: new Api(url, { GATEWAY_KEY: token }),
    sessionId: device,
    people: { A: ANNA, B: BEN },
    admin,
    oldFile: null,
    patienceMs: 90_000,
  },
  ...{ wait: (ms: number) => clock.advance(ms), now: () => clock.now(), say },
});

it('the probe checks a real account with two people, and prints no numbers or texts', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  verbs.changeDevice(PHONE, { older_history: 7 });
  verbs.write(ANNA, { to: PHONE, body: 'We met before' });
  let written = '';
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
    if (line.startsWith('On phone A: write')) written = verbs.write(ANNA, { to: PHONE, body: 'A secret of mine' }).id;
    if (line.startsWith('On phone A: edit')) verbs.write(ANNA, { to: PHONE, type: 'edit', target: written, body: 'Edited', sealed: true });
    if (line.startsWith('On phone A: react')) verbs.write(ANNA, { to: PHONE, type: 'reaction', target: written, body: '👍' });
  };
  const parts = { token: acme.tokens.token, device: device.id, admin: gateway.node.secrets.admin };
  const answers = await gateway.during(answersTo(questions(), probingOf(gateway.node.url, parts, gateway.clock, say), 1_000));
  const text = answers.map(({ question, answer }) => `${question}: ${answer}`).join('\n');
  for (const part of [
    /^build of .*2\.3000\.\d+, \d+ days old, no end announced, 0 refused$/m,
    /^numbers: .*A: a number; B: a number$/m,
    /^text to A.*: (delivered|read) after \d+ s$/m,
    /^text to B.*: (delivered|read) after \d+ s$/m,
    /^message from A.*from a number, without a username$/m,
    /^encrypted edit by A: taken over after \d+ s$/m,
    /^reaction of A: taken over after \d+ s$/m,
    /^older messages of A.*: 7 after \d+ s, more: false$/m,
    /^file that.*: not asked/m,
    /^content and stanzas.*: none$/m,
  ])
    assert.match(text, part);
  for (const secret of [ANNA, BEN, PHONE, 'secret of mine', device.id]) assert.ok(!`${text}${said}`.includes(secret), secret);
  assert.equal(redacted(`62899999999 of ${ANNA}`, { people: { A: ANNA, B: BEN }, sessionId: device.id }), '… of A');
});

it("the probe checks the real network's driver, and reports queries that got no response", async (t) => {
  const gateway = await aRealGateway(t, embedded);
  const token = await gateway.signUp('6281100009999');
  const path = await gateway.linked(gateway.as(token), PHONE);
  const phone = gateway.peer.phone(PHONE);
  phone.remembers(ANNA, [{ text: 'Long ago', isOurs: false, at: gateway.clock.now() - 86_400_000 }]);
  gateway.peer.phone(BEN);
  await gateway.peer.phone(ANNA).writes(PHONE, 'Hello');
  await gateway.until('it came', async () => (await gateway.as(token)('GET', `${path}/messages`)).body.messages.length === 1);
  const parts = { token, device: path.split('/').at(-1) ?? '', admin: gateway.node.secrets.admin };
  let written: Promise<string> | null = null;
  const say = (line: string): void => {
    if (line.startsWith('On phone A: write')) written = gateway.peer.phone(ANNA).writes(PHONE, 'Hi');
  };
  const probing = { ...probingOf(gateway.node.url, parts, gateway.clock, say), patienceMs: 20_000 };
  const answers = await answersTo(questions(), probing, 1_000);
  await written;
  const text = answers.map(({ question, answer }) => `${question}: ${answer}`).join('\n');
  assert.match(text, /^text to A.*: (delivered|read) after/m);
  assert.match(text, /^message from A.*: after \d+ s, from a/m);
  assert.match(text, /^encrypted edit by A: not seen in time$/m);
  assert.match(text, /^older messages of A.*: 1 after \d+ s, more: false$/m);
});
