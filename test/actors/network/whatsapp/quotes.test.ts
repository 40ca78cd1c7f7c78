import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const at = (digits: string): string => `${digits}@s.whatsapp.net`;

eachStore('a message with a quote', (kind) => {
  it('names the quoted person and repeats the quoted text, in chats and groups', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    const anna = peer.contact(ANNA);
    const heard = (body: string): Promise<string> =>
      until(`"${body}" came`, async () => (await log()).find((each: { body: string }) => each.body === body)?.id);
    const log = async () => (await api('GET', `${path}/messages`)).body.messages;
    const send = async (to: string, body: string, reply_to?: string): Promise<string> => {
      const { id } = (await api('POST', `${path}/messages`, { chat_id: to, type: 'text', body, ...(reply_to && { reply_to }) })).body;
      await until(`"${body}" was read`, async () => (await api('GET', `${path}/messages/${id}`)).body.status === 'read');
      return id;
    };
    const quoteIn = (text: string) => {
      const { message } = anna.shows().find((shown) => shown.text === text)!;
      const { participant, quotedMessage } = message.extendedTextMessage!.contextInfo!;
      return [participant, quotedMessage?.conversation];
    };

    await anna.writes(SHOP, 'Are you open?');
    await send(ANNA, 'We are', await heard('Are you open?'));
    assert.deepEqual(quoteIn('We are'), [at(ANNA), 'Are you open?']);
    const hours = await send(ANNA, 'From nine to five');
    await send(ANNA, 'On Sundays too', hours);
    assert.deepEqual(quoteIn('On Sundays too'), [at(SHOP), 'From nine to five']);

    for (const addressing of ['pn', 'lid'] as const) {
      const address = (digits: string): string => (addressing === 'lid' ? peer.phone(digits).lid : at(digits));
      const group = peer.group([SHOP, ANNA, BUDI], { addressing }).jid;
      await peer.contact(BUDI).writes(group, `Who brings cake? ${addressing}`);
      const own = await send(group, `We bring it ${addressing}`, await heard(`Who brings cake? ${addressing}`));
      assert.deepEqual(quoteIn(`We bring it ${addressing}`), [address(BUDI), `Who brings cake? ${addressing}`]);
      await send(group, `With cherries ${addressing}`, own);
      assert.deepEqual(quoteIn(`With cherries ${addressing}`), [address(SHOP), `We bring it ${addressing}`]);
    }
  });
});
