import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { planOf, plansFrom } from '../../../actors/domain/plans.ts';
import { bind } from '../../../http/core/bind.ts';
import type { Engine } from '../../../http/core/engine.ts';
import { type Caller, rowsFor } from '../../../http/core/row.ts';
import { prepare } from '../../../http/server/mount.ts';
import { rowCalls } from '../../../http/server/row-calls.ts';
import { NEVER_FULL } from '../../support/limits.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;
const row = rowsFor<object>();
const about = { method: 'POST', summary: 'x', access: 'bearer', status: 200, returns: Joi.any() } as const;

const ROWS = bind(
  {
    name: 'sample',
    about: 'x',
    rows: [
      row({ ...about, id: 'always', path: '/v1/a', access: 'bearer', stepUp: true, run: () => ({}) }),
      row({
        ...about,
        id: 'sometimes',
        path: '/v1/b',
        access: 'bearer',
        stepUp: { if: 'x' },
        run: (_own, call) => call.expectStepUp() ?? {},
      }),
      row({
        ...about,
        id: 'never',
        path: '/v1/c',
        access: 'bearer',
        stepUp: { none: 'x' },
        run: (_own, call) => call.expectStepUp() ?? {},
      }),
    ],
  },
  {},
).rows;

const login: Caller = {
  ...{ tenantId: 'T1', role: 'admin', agentId: 'T1', agentName: 'Owner', family: 'F', auth: 'totp', key: null, expiresAt: null },
  ...{ callingCode: '62', plan: planOf(plansFrom(null), 'free'), secondFactor: { at: NOW - 11 * MINUTE } },
};

it('tool calls require a recent second factor if their endpoints do', async () => {
  const engine: Partial<Engine> = { limits: NEVER_FULL, checkAnswers: false };
  const calls = rowCalls(ROWS.map((one) => prepare(engine as Engine, one)));
  const ask = (id: string, caller: Caller) =>
    calls.call(id, {}, { caller, lang: 'en', langAsked: null, address: '127.0.0.1', requestId: 'r', now: NOW });
  for (const id of ['always', 'sometimes']) {
    await assert.rejects(ask(id, login), { code: 'STEP_UP_REQUIRED' }, id);
    assert.deepEqual(await ask(id, { ...login, secondFactor: { at: NOW - 9 * MINUTE } }), {}, id);
    assert.deepEqual(await ask(id, { ...login, secondFactor: null }), {}, 'without two-factor');
  }
  // Its document says that no code is needed.
  await assert.rejects(ask('never', { ...login, secondFactor: null }), /row never does not say when/);
});
