import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { CampaignSchema, Recipients } from '../../../http/areas/campaigns/schemas.ts';
import { messageWork } from '../../../http/areas/messages/bulk-rows.ts';
import { longListsApart } from '../../../http/core/long-lists.ts';
import { validator } from '../../../http/core/validate.ts';
import { Refusal } from '../../../runtime/errors.ts';

const draft = { session_id: '01JZX5ZB4T8QKX3N9V7C2M6D1E', name: 'Sale', message_type: 'text', body: 'Hi' };
const people = (count: number) => Array.from({ length: count }, (_, nth) => ({ phone: `6281${nth}`, name: null, var1: 'x' }));
const nobodies = (count: number) => Array.from({ length: count }, () => ({ phone: 1 }));

/** Validates as a row does, and gives how many recipients Joi looked at. */
async function looked(body: object): Promise<{ readonly seen: number; readonly result: unknown }> {
  let seen = 0;
  const whole = CampaignSchema.prefs({ convert: false, abortEarly: false });
  const { value, details } = await longListsApart(CampaignSchema, (shown) => {
    seen += (shown as { recipients: readonly unknown[] }).recipients.length;
    const { error, value } = whole.validate(shown);
    return { value, details: error?.details ?? [] };
  })(body);
  return { result: details.length > 0 ? details.map(({ path }) => path.join('.')) : value, seen };
}

/** The paths of the faults that a caller is told. */
async function faults(body: object, schema: Joi.Schema = CampaignSchema): Promise<readonly string[]> {
  try {
    await validator(schema, { convert: false, where: 'body' })(body);
    return [];
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return (cause.details['faults'] as readonly { readonly path: string }[]).map(({ path }) => path);
  }
}

it('ten thousand ordinary recipients are validated without Joi', async () => {
  const body = { ...draft, recipients: people(10_000) };
  const { result, seen } = await looked(body);
  assert.ok(seen <= 100, `Joi saw ${seen}`);
  assert.deepEqual(result, body);
});

it('only part of an invalid or oversized list is checked by Joi', async () => {
  for (const recipients of [
    nobodies(10_000),
    [...people(9_999), { phone: 1 }],
    people(10_001),
    nobodies(50_000),
    Array.from({ length: 50_000 }, () => 1),
  ]) {
    const { result, seen } = await looked({ ...draft, recipients });
    assert.ok(seen <= 100, `Joi saw ${seen}`);
    assert.ok(Array.isArray(result) && result.length > 0);
  }
});

it('checking 100 messages with 256 mentions each takes several short event-loop ticks', async () => {
  const mentions = Array.from({ length: 256 }, (_, nth) => `+62811${nth}`);
  const messages = Array.from({ length: 100 }, (_, nth) => ({ chat_id: `+6281${nth}`, type: 'text', body: 'Hi', mentions }));
  const schema = messageWork.rows.find(({ id }) => id === 'sendMessages')?.body;
  assert.ok(schema);
  const events: ('Joi' | 'tick')[] = [];
  let most = 0;
  const judge = longListsApart(schema, (shown) => {
    const { messages } = shown as { readonly messages: readonly { readonly mentions: readonly string[] }[] };
    most = Math.max(most, messages.flatMap((one) => one.mentions).length);
    events.push('Joi');
    const { error, value } = schema.validate(shown, { convert: false, abortEarly: false });
    return { value, details: error?.details ?? [] };
  });
  const turn = async (): Promise<void> => void events.push('tick');
  const { value, details } = await judge({ messages }, turn);
  assert.deepEqual([value, details], [{ messages }, []]);
  assert.ok(most <= 1_000, `Joi saw ${most} at once`);
  assert.ok(!events.some((event, nth) => event === 'Joi' && events[nth + 1] === 'Joi'));

  const odd = messages.map((one, nth) => (nth % 40 === 39 ? { ...one, mentions: [...mentions.slice(1), 7] } : one));
  assert.deepEqual(await faults({ messages: odd }, schema), ['messages.39.mentions.255', 'messages.79.mentions.255']);
  assert.deepEqual(await faults({ messages: [...messages, ...messages] }, schema), ['messages']);
});

it('an error about a list item gives its path in the whole list', async () => {
  const some = people(10_000).map((one, nth) => (nth % 4_000 === 3_999 ? { ...one, phone: 1, nam: 'x' } : one));
  const wanted = ['recipients.3999.phone', 'recipients.3999.nam', 'recipients.7999.phone', 'recipients.7999.nam'];
  assert.deepEqual(await faults({ ...draft, recipients: some }), wanted);
  assert.deepEqual(await faults({ recipients: some }, Joi.object({ recipients: Recipients.required() })), wanted);
  assert.equal((await faults({ ...draft, recipients: nobodies(10_000) })).length, 51);
  assert.deepEqual(await faults({ ...draft, recipients: [...people(10_000), { phone: 1 }] }), ['recipients', 'recipients.10000.phone']);
});

it('a list with one invalid item or one item too many is rejected', async () => {
  assert.deepEqual(await faults({ ...draft, recipients: [...people(500), { phone: 1 }] }), ['recipients.500.phone']);
  assert.deepEqual(await faults({ ...draft, recipients: people(10_001) }), ['recipients']);
  assert.equal((await faults({ ...draft, recipients: people(500), tag: 'vip' })).length, 1);
  assert.deepEqual(await faults({ ...draft, recipients: people(500), nothing: 1 }), ['nothing']);
});

it('every list item that needs Joi is validated by Joi, and its converted values are used', async () => {
  const odd = -0;
  const numbers = Array.from({ length: 350 }, (_, nth) => (nth % 2 === 0 ? odd : nth));
  const schema = Joi.object({ numbers: Joi.array().items(Joi.number()), name: Joi.string() }).or('numbers', 'name');
  const validate = validator(schema, { convert: false, where: 'body' });
  const { numbers: taken } = (await validate({ numbers })) as { readonly numbers: readonly number[] };
  assert.deepEqual(
    taken,
    numbers.map((one) => one + 0),
  );
  await assert.rejects(async () => validate({ numbers: [...numbers, 'x'] }), Refusal);
});
