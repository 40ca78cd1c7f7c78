import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { type AnyCall, bind } from '../../../http/core/bind.ts';
import { type AnyRow, type Caller, rowsFor } from '../../../http/core/row.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';

const row = rowsFor<object>();
const about = { method: 'GET', path: '/x', summary: 'x', status: 200, returns: Joi.any() } as const;

const NOBODY: AnyCall = {
  caller: undefined,
  expectStepUp: () => {},
  expectTimely: () => {},
  operator: undefined,
  cookie: undefined,
  device: undefined,
  params: {},
  query: {},
  body: undefined,
  sent: undefined,
  lang: 'en',
  langAsked: null,
  address: '127.0.0.1',
  requestId: 'r',
  header: () => undefined,
  now: 1,
};

const answerOf = (one: AnyRow<object>, call: AnyCall): unknown => bind({ name: 'x', about: 'x', rows: [one] }, {}).rows[0]?.run(call);

it("an operation's access and path determine the types of its handler arguments", () => {
  // @ts-expect-error: a row open to anyone has no caller.
  row({ ...about, id: 'open', access: 'none', run: (_, { caller }) => caller });
  // @ts-expect-error: an operator is of no tenant.
  row({ ...about, id: 'operators', access: 'operator', run: (_, { caller }) => caller });
  // @ts-expect-error: a tenant's caller is no operator.
  row({ ...about, id: 'tenants', access: 'bearer', run: (_, { operator }) => operator });
  // @ts-expect-error: a path without a device.
  row({ ...about, id: 'ofNoDevice', access: 'bearer', run: (_, { device }) => device });
  // @ts-expect-error: a call with a ticket has no caller.
  row({ ...about, id: 'tickets', access: 'bearer', tickets: true, run: (_, { caller }) => caller.tenantId });
});

it('an operation rejects a caller or a path that its declared type excludes', () => {
  const open = row({ ...about, id: 'open', access: 'none', run: (_, { now }) => now });
  const operators = row({ ...about, id: 'operators', access: 'operator', run: (_, { operator }) => operator });
  const tenants = row({ ...about, id: 'tenants', access: 'bearer', run: (_, { caller }) => caller.tenantId });
  assert.equal(answerOf(open, NOBODY), 1);
  assert.equal(answerOf(operators, { ...NOBODY, operator: 'sari' }), 'sari');
  for (const one of [operators, tenants]) assert.throws(() => answerOf(one, NOBODY), /called by nobody/);
  const ofDevice = row({ ...about, path: '/x/{sessionId}', id: 'ofDevice', access: 'bearer', run: (_, { device }) => device._id });
  const caller = { tenantId: 't' } as Caller;
  assert.equal(answerOf(tenants, { ...NOBODY, caller }), 't');
  assert.equal(answerOf(ofDevice, { ...NOBODY, caller, device: { _id: 's' } as DeviceRow }), 's');
  assert.throws(() => answerOf(ofDevice, { ...NOBODY, caller }), /without its device/);
  const withTicket = row({ ...about, id: 'withTicket', access: 'bearer', tickets: true, run: (_, { caller }) => caller?.tenantId ?? null });
  assert.equal(answerOf(withTicket, NOBODY), null);
});
