import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import Joi from 'joi';
import { parseJson } from '../../../http/core/body.ts';
import { closestTo } from '../../../http/core/closest.ts';
import { toWire } from '../../../http/core/errors.ts';
import { faultsOf } from '../../../http/core/faults.ts';
import { checking } from '../../../http/core/input.ts';
import { validator } from '../../../http/core/validate.ts';
import { aServer, as, type Sample } from '../../support/http-sample.ts';
import { leastOfThree } from '../../support/turns.ts';

interface Fields {
  readonly rules?: { readonly all?: readonly { readonly field: string }[] };
}

let web: Sample;

before(async () => {
  web = await aServer();
});
after(() => web[Symbol.asyncDispose]());

const send = async (body: unknown, query = '') => {
  await using fresh = await aServer();
  return await fresh.post(`/v1/sessions/D1/messages${query}`, body, as('owner'));
};
const details = async (body: unknown, query = '') => (await send(body, query)).body.details;

it('all validation errors in the body and query are reported together, each with its path', async () => {
  const answer = await send({ type: 'place', lat: 'x', tags: ['a', 'b'.repeat(11)], by: { nam: 'Ann' } }, '?limt=3');
  assert.equal(answer.status, 400);
  assert.deepEqual(
    answer.body.details.map(({ path }: { path: string }) => path),
    ['limt', 'lat', 'tags.1', 'by.name', 'by.nam'],
  );
  assert.match(
    answer.body.error,
    /^The request is not valid: limt is not a known field; by\.nam is not a known field; did you mean name\?; lat must be a number; and 2 more$/,
  );
});

it('an error names each unknown field, along with all other errors', async () => {
  const wrong = { type: 'place', lat: 'x', loud: 7, tags: 'a', by: 3, at: 'never', extra: 1 };
  const { error, details: all } = (await send(wrong)).body;
  assert.match(error, /: extra is not a known field; /);
  assert.deepEqual([all.length, all.at(-1).path], [6, 'extra']);
});

it('an error for an invalid value shows the expected format, and uses the singular for one item', () => {
  const Window = Joi.object({
    start: Joi.string()
      .pattern(/^\d\d:\d\d$/)
      .example('08:00'),
    days: Joi.array().items(Joi.number()).min(1),
  });
  const check = validator(Joi.object({ windows: Joi.array().items(Window), name: Joi.string().max(1) }), {
    convert: false,
    where: 'body',
  });
  const said = (lang: 'en' | 'id'): readonly unknown[] => {
    try {
      check({ windows: [{ start: "8 o'clock", days: [] }], name: 'ab' });
    } catch (cause) {
      return toWire(cause, lang, () => false).body.details?.map(({ message }) => message) ?? [];
    }
    return [];
  };
  assert.deepEqual(said('en'), [
    'windows.0.start has the wrong format; use one like 08:00',
    'windows.0.days must have at least 1 item',
    'name must have at most 1 character',
  ]);
  assert.equal(said('id')[0], 'format windows.0.start tidak sesuai; gunakan format seperti 08:00');
});

it('an error for a long list of allowed values suggests the most likely one, and lists all only once', () => {
  const events = Array.from({ length: 49 }, (_, nth) => `kind${nth}.happened`);
  const said = (value: string) => {
    try {
      validator(Joi.object({ events: Joi.array().items(Joi.string().valid('message.received', ...events)) }), {
        convert: false,
        where: 'body',
      })({ events: [value] });
    } catch (cause) {
      return toWire(cause, 'en', () => false).body;
    }
    throw new Error('it was taken');
  };
  const { error, details: all = [] } = said('message.recieved');
  assert.match(error, /: events\.0 must be one of: message\.received, (kind\d\.happened, ){4}…; did you mean message\.received\?$/);
  assert.match(all[0]?.message ?? '', /kind48\.happened; did you mean message\.received\?$/);
  assert.doesNotMatch(said('nothing.like.it').error, /did you mean/);
});

it("each field gets one validation error, in the caller's language", async () => {
  assert.deepEqual(await details({ type: 7 }, '?lang=id'), [{ path: 'type', message: 'type harus salah satu dari: text, place' }]);
});

it('an error about a combination of fields names the extra or missing field', () => {
  const fault = (schema: Joi.Schema, value: object): string => {
    try {
      validator(schema, { convert: false, where: 'body' })(value);
    } catch (cause) {
      return (faultsOf(cause) ?? []).map(({ path, en }) => `${path}: ${en}`).join();
    }
    return '';
  };
  const text = Joi.string();
  const either = Joi.object({ body: text, url: text, key: text }).xor('url', 'key').with('body', 'url');
  assert.equal(fault(either, { url: 'a', key: 'b' }), 'key: url, key cannot be sent together; send only one of them');
  assert.equal(fault(either, {}), 'url: body needs one of url, key');
  assert.equal(fault(either, { body: 'a', key: 'b' }), 'url: url is also required');
  assert.equal(fault(Joi.object({ rules: either }), { rules: {} }), 'rules.url: rules needs one of url, key');
});

it('an error for an invalid field lists the allowed values', async () => {
  assert.deepEqual(await details({ type: 'txt' }), [{ path: 'type', message: 'type must be one of: text, place' }]);
});

it('an error for an unknown field suggests a similar known field', async () => {
  const said = async (field: string) => (await details({ type: 'text', body: 'x', [field]: 1 }))[0].message;
  assert.equal(await said('tgas'), 'tgas is not a known field; did you mean tags?');
  assert.equal(await said('elephant'), 'elephant is not a known field');
  const [inner] = await details({ type: 'text', body: 'x', by: { name: 'A', aat: 1 } });
  assert.deepEqual(inner, { path: 'by.aat', message: 'by.aat is not a known field; did you mean at?' });
  const query = (await web.get('/v1/find/A?limit=900&ony=true', as('owner'))).body.details;
  assert.deepEqual(query, [
    { path: 'limit', message: 'limit must be at most 200' },
    { path: 'ony', message: 'ony is not a known field; did you mean only?' },
  ]);
});

it('a similar field is suggested if the name differs in style or by up to two letters', () => {
  const known = ['chat_id', 'body', 'caption', 'connect_only', 'scheduled_at'];
  const meant = { chatId: 'chat_id', 'chat-id': 'chat_id', captoin: 'caption', connectOnly: 'connect_only', scheduledAt: 'scheduled_at' };
  for (const [written, one] of Object.entries(meant)) assert.equal(closestTo(written, known), one, written);
  for (const written of ['to', 'x', 'bo', 'text', 'message', '__proto__', 'a'.repeat(10_000)])
    assert.equal(closestTo(written, known), null, written);
});

it("an operation's own validation errors are reported with the schema's errors, at most one per field", async () => {
  const soon = { type: 'text', body: 'x', at: 1_700_000_000_000 };
  assert.deepEqual(
    (await send(soon)).body.details.map(({ path }: { path: string }) => path),
    ['at'],
  );
  assert.deepEqual(
    (await details({ ...soon, extra: 1 })).map(({ path }: { path: string }) => path),
    ['extra', 'at'],
  );
  assert.deepEqual(await details({ ...soon, at: 'never' }), [{ path: 'at', message: 'at must be a number' }]);
});

it("an operation's own errors about one item are reported together with format errors in other items", () => {
  const Item = Joi.object({ field: Joi.string().required(), op: Joi.string().valid('is').required() });
  const form = validator(Joi.object({ rules: Joi.object({ all: Joi.array().items(Item) }) }), { convert: false, where: 'body' });
  const check = ({ rules }: Fields) =>
    (rules?.all ?? []).flatMap(({ field }, nth) =>
      field === 'nope' ? [{ path: `rules.all.${nth}.field`, en: 'unknown', id: 'tidak dikenal' }] : [],
    );
  const pathsOf = (all: object[]) => {
    try {
      checking(form, check)({ rules: { all } });
    } catch (cause) {
      return (faultsOf(cause) ?? []).map(({ path }) => path);
    }
    return [];
  };
  assert.deepEqual(
    pathsOf([
      { field: 'tag', op: 'was' },
      { field: 'nope', op: 'is' },
    ]),
    ['rules.all.0.op', 'rules.all.1.field'],
  );
  assert.deepEqual(pathsOf([{ field: 'nope', op: 'was' }]), ['rules.all.0.op']);
  assert.deepEqual(
    pathsOf([
      { field: 'tag', op: 'is' },
      { field: 'nope', op: 'is' },
    ]),
    ['rules.all.1.field'],
  );
});

it('an error for a time in seconds or in the past says that times are in milliseconds', async () => {
  const said = async (at: number) => (await details({ type: 'text', body: 'x', at }))[0].message;
  assert.equal(await said(1_767_225_600), 'at must be a time in milliseconds since 1970, not in seconds');
  assert.match(await said(1_700_000_000_000), /^at is in the past; times are in milliseconds/);
  assert.equal((await send({ type: 'text', body: 'x', at: 4_102_444_800_000 })).status, 202);
});

it('a malformed id gets the same 404 as an unknown one', async () => {
  const { status, body } = await web.get('/v1/find/not-an-id', as('owner'));
  assert.deepEqual([status, body], [404, { error: 'Not found', code: 'NOT_FOUND' }]);
});

it('an unsupported method gets a 405 that lists the supported ones in Allow', async () => {
  const { status, body, headers } = await web.post('/open', {});
  assert.deepEqual([status, body.code, headers.get('allow')], [405, 'METHOD_NOT_ALLOWED', 'GET']);
  assert.equal(body.error, 'This path does not support this method: use GET');
  const put = await fetch(`${web.server.url}/v1/bearer`, { method: 'PUT' });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST']);
  assert.equal((await fetch(`${web.server.url}/v1/find/A/more`, { method: 'PUT' })).status, 404);
  assert.equal((await fetch(`${web.server.url}/open`, { method: 'HEAD' })).status, 200);
});

it('an error for a rejected body names the accepted types and size', async () => {
  const upload = (type: string, size: number) => web.post('/v1/upload', 'x'.repeat(size), { ...as('owner'), 'content-type': type });
  assert.match((await upload('application/pdf', 1)).body.error, /image\/\*, text\/csv/);
  assert.match((await upload('image/png', 2_000_001)).body.error, /at most 2000000 bytes/);
  assert.match((await web.post('/v1/bearer', '{}', { ...as('owner'), 'content-type': 'text/plain' })).body.error, /application\/json/);
  assert.match((await web.post('/v1/bearer', `"${'x'.repeat(1_048_576)}"`, as('owner'))).body.error, /at most 1048576 bytes/);
});

it('an error for missing or misplaced credentials names the header to use', async () => {
  for (const headers of [{}, { 'x-api-key': 'A'.repeat(43) }, { authorization: 'Basic abc' }]) {
    const { status, body } = await web.get('/v1/bearer', headers);
    assert.equal(status, 401);
    assert.match(body.error, /Authorization: Bearer/);
  }
});

it('an error response lists at most fifty of thousands of validation errors, and sets `more`', async () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${'x'.repeat(56)}_${nth}`, 1]));
  const body = async (sent: object) => (await send({ type: 'text', body: 'x', ...sent })).body;
  const fifty = await body(unknown(50));
  assert.deepEqual([fifty.details.length, fifty.more], [50, undefined]);
  assert.match(fifty.error, / and 40 more$/);
  const others = await body(unknown(1_990));
  assert.deepEqual([others.details.length, others.more], [50, true]);
  assert.match(others.error, / and more$/);
  const together = (await send({ type: 'text', body: 'x', ...unknown(50) }, '?limt=3')).body;
  assert.deepEqual([together.details.length, together.details[0].path, together.more], [50, 'limt', true]);
  const close = (await body(Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`tag${nth}`, 1])))).details;
  assert.equal(close.filter(({ message }: { message: string }) => message.includes('did you mean')).length, 10);
});

it('validating 1,990 unknown fields takes little more CPU time than validating ten', async () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`${'chat'.repeat(4)}_${nth}`, Joi.string()]));
  const validate = validator(Joi.object(fields), { convert: false, where: 'body' });
  const cost = (count: number): Promise<number> => {
    const unknown = Array.from({ length: count }, (_, nth) => [`${'chat_'.repeat(11)}${nth}`, 1]);
    const bytes = Buffer.from(JSON.stringify(Object.fromEntries(unknown)));
    // CPU time is counted in steps of several milliseconds.
    return leastOfThree(async () => {
      for (let nth = 0; nth < 5; nth += 1) assert.throws(() => validate(parseJson(bytes)), { code: 'VALIDATION_FAILED' });
    });
  };
  const [ten, all] = [await cost(10), await cost(1_990)];
  assert.ok(all < 3 * ten, `${all} ms for 1,990, ${ten} ms for ten`);
});
