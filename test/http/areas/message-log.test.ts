import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

const BEN = '6281211110002';

eachStore('the message log', (kind) => {
  it('returns filtered pages without gaps or duplicates', async (t) => {
    const { api, path, sent } = await aLog(t, kind);
    const seen: string[] = [];
    for (let query = ''; ; ) {
      const { messages, next_before, next_before_id } = (await api('GET', `${path}/messages?chat_id=${ANNA}&limit=3${query}`)).body;
      seen.push(...messages.map(({ id }: { id: string }) => id));
      if (next_before === null) break;
      query = `&before=${next_before}&before_id=${next_before_id}`;
    }
    assert.deepEqual(
      seen,
      sent
        .filter(({ to }) => to === ANNA)
        .map(({ id }) => id)
        .toReversed(),
    );
  });

  it("shows a message's network id only after the message has been sent", async (t) => {
    const gateway = await aGateway(t, { kind });
    const device = await (await gateway.signUp()).linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 5_000 });
    const id = await device.text(ANNA, 'Hello');
    await gateway.until('the phone shows it', () => gateway.sandbox.phone(ANNA).messages(1).length === 1);
    const { status, sent_at, wa_message_id } = await device.message(id);
    assert.deepEqual([status, sent_at, wa_message_id], ['queued', null, null]);
    const sent = await gateway.until('the network says so', async () => {
      const entry = await device.message(id);
      return entry.sent_at !== null && entry;
    });
    assert.equal(sent.wa_message_id, gateway.sandbox.phone(ANNA).messages(1)[0]?.netId);
  });

  it('finds messages by part of their text, ignoring case', async (t) => {
    const { api, path } = await aLog(t, kind);
    const found = async (query: string) =>
      (await api('GET', `${path}/messages?${query}`)).body.messages.map(({ body }: { body: string }) => body);
    assert.deepEqual(await found('q=NO.%203'), ['Invoice no. 3']);
    assert.deepEqual(await found('q=invoice&limit=2'), ['Invoice no. 9', 'Invoice no. 8']);
    assert.deepEqual(await found(`q=invoice&chat_id=${BEN}&type=text&limit=1`), ['Invoice no. 8']);
    assert.deepEqual(await found('q=nothing%20of%20this'), []);
  });

  it('can resume a search where an earlier search ended', async (t) => {
    const { api, path } = await aLog(t, kind);
    const first = (await api('GET', `${path}/messages?q=invoice&limit=4`)).body;
    const rest = `before=${first.next_before}&before_id=${first.next_before_id}`;
    const second = (await api('GET', `${path}/messages?q=invoice&limit=20&${rest}`)).body;
    assert.deepEqual([first.messages.length, second.messages.length, second.next_before], [4, 6, null]);
  });

  it('rejects unknown parameters', async (t) => {
    const { api, path } = await aLog(t, kind);
    for (const query of ['q=', 'colour=red', 'limit=201', 'status=odd', 'before_id=01JZX5ZB4T8QKX3N9V7C2M6D1E'])
      assert.equal((await api('GET', `${path}/messages?${query}`)).status, 400, query);
  });
});

/** Ten texts, to Anna and to Ben in turns. */
async function aLog(scope: Parameters<typeof aGateway>[0], kind: Parameters<typeof aGateway>[1]['kind']) {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const sent: { id: string; to: string }[] = [];
  for (let number = 0; number < 10; number += 1) {
    const to = number % 2 === 0 ? BEN : ANNA;
    sent.push({ id: await device.text(to, `Invoice no. ${number}`), to });
  }
  return { api: acme.api, path: device.path, sent };
}
