import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import { ANSWERS, anAiShop, SARI } from '../actors/services/ai-reply/ai-fixture.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const QUESTION = 'jam buka toko?';
const LID = lidOf(SARI);

/** A shop to which Sari writes from an address that hides her number, until she tells it. */
async function aShopOfAMaskedCustomer(scope: Scope, kind: StoreKind) {
  const shop = await anAiShop(scope, kind);
  const { gateway, api, device } = shop;
  const sari = gateway.sandbox.phone(SARI);
  sari.set({ lid: true, tellsNumber: false });
  const chat = async (who: string) => (await api('GET', `${device.path}/chats/${who}`)).body;
  return {
    ...shop,
    chat,
    wrote: (text: string) => shop.eventually('it is in her chat', async () => (await chat(LID)).last_message === text),
    async tells(): Promise<void> {
      sari.set({ tellsNumber: true });
      await gateway.until('she is known', async () => (await chat(SARI)).last_message !== undefined);
    },
  };
}

eachStore('AI replies after the number behind a hidden address becomes known', (kind) => {
  it('are not sent if a team member has written in the hidden-address chat', async (t) => {
    const { device, write, wrote, tells, received, eventually, settled } = await aShopOfAMaskedCustomer(t, kind);
    write(SARI, 'halo kak');
    await wrote('halo kak');
    await device.text(LID, 'Saya bantu ya, kak.');
    await eventually('she has it', () => received(SARI).length === 1);
    await settled();
    await tells();
    write(SARI, QUESTION);
    await settled();
    assert.deepEqual(received(SARI), ['Saya bantu ya, kak.']);
  });

  it('are not sent if a team member has answered the earlier question', async (t) => {
    const { device, write, wrote, tells, received, settled } = await aShopOfAMaskedCustomer(t, kind);
    write(SARI, QUESTION);
    await wrote(QUESTION);
    await tells();
    await device.text(SARI, 'Sampai jam delapan, kak.');
    await settled();
    assert.deepEqual(received(SARI), ['Sampai jam delapan, kak.']);
  });

  it('are sent again once the hidden-address chat is resolved, even if the number had its own chat', async (t) => {
    const { gateway, api, device, chat, write, wrote, tells, received, receives, eventually, settled } = await aShopOfAMaskedCustomer(
      t,
      kind,
    );
    const sari = gateway.sandbox.phone(SARI);
    sari.set({ lid: false });
    write(SARI, 'halo');
    await eventually('her number has a chat', async () => (await chat(SARI)).last_message === 'halo');
    sari.set({ lid: true });
    write(SARI, 'halo kak');
    await wrote('halo kak');
    await device.text(LID, 'Saya bantu ya, kak.');
    await eventually('she has it', () => received(SARI).length === 1);
    await settled();
    await api('PATCH', `${device.path}/chats/${LID}`, { status: 'resolved' });
    await tells();
    await eventually('her chats are one', async () => (await chat(LID)).id === (await chat(SARI)).id);
    write(SARI, QUESTION);
    assert.equal((await receives(SARI, 2))[1], ANSWERS.hours[1]);
  });

  it('answer an earlier question only once, in the chat with the number', async (t) => {
    const { api, device, write, wrote, tells, receives, received, settled, restarted } = await aShopOfAMaskedCustomer(t, kind);
    write(SARI, QUESTION);
    await wrote(QUESTION);
    await tells();
    await receives(SARI, 1);
    await settled();
    write(SARI, `${QUESTION} kak`);
    await settled();
    const { messages } = (await api('GET', `${device.path}/messages?direction=outbound`)).body;
    assert.deepEqual(
      messages.map(({ chat_id, body }: { chat_id: string; body: string }) => [chat_id.split('@')[0], body]),
      [[SARI, ANSWERS.hours[1]]],
    );
    const after = await restarted();
    await after.settled();
    assert.equal(received(SARI).length, 1);
  });
});
