import Joi from 'joi';
import {
  disableTwoFactor,
  enableTwoFactor,
  setUpTwoFactor,
  type TwoFactorDeps,
  twoFactorStatus,
} from '../../../actors/services/accounts/two-factor.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { OperatorSessions } from '../../../store/accounts/operator-sessions.ts';
import { OPERATOR_LOG } from '../../../store/audit/entry.ts';
import { OPERATOR_FACTOR, openOperatorSession } from '../../auth/operator-sessions.ts';
import { operatorDraft } from '../../core/audited.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done, Timestamp } from '../../core/schemas.ts';
import { acceptAudited } from '../auth/sign-ins.ts';

export interface OperatorTwoFactorServices extends TwoFactorDeps {
  readonly operatorSessions: OperatorSessions;
  readonly audit: AuditTrail;
}

const coded = Joi.object<{ code: string }>({ code: Joi.string().min(6).max(40).required().example('204816') });
const common = { status: 200 } as const;
const row = rowsFor<OperatorTwoFactorServices>();

export const operatorTwoFactor: Area<OperatorTwoFactorServices> = {
  name: 'operator two-factor',
  about: 'A second factor for operators. While it is on, every call of an operator also needs `X-Admin-Session`',
  rows: [
    row({
      ...common,
      access: 'operator',
      id: 'getOperatorTwoFactor',
      method: 'GET',
      path: '/v1/admin/2fa',
      summary: "Get the operators' two-factor status",
      about: 'Get the state of the second factor',
      returns: Joi.object({ enabled: Joi.boolean().required(), recovery_codes_left: Joi.number().integer().required() }),
      run: (services) => twoFactorStatus(services, OPERATOR_FACTOR),
    }),
    row({
      ...common,
      access: 'operator',
      id: 'setUpOperatorTwoFactor',
      method: 'POST',
      path: '/v1/admin/2fa/setup',
      summary: "Set up operators' two-factor",
      about: 'Get a secret for an authenticator app. Confirm it with a code within ten minutes to use it',
      audit: { none: 'changes nothing before it is enabled' },
      returns: Joi.object({ otpauth_url: Joi.string().required(), secret: Joi.string().required() }),
      refuses: ['CONFLICT'],
      run: (services, { now }) => setUpTwoFactor(services, OPERATOR_FACTOR, OPERATOR_LOG, 'operator', now),
    }),
    row({
      ...common,
      access: 'operator',
      id: 'enableOperatorTwoFactor',
      method: 'POST',
      path: '/v1/admin/2fa/enable',
      summary: "Turn operators' two-factor on",
      about: 'Turn the second factor on with a first code. The recovery codes are shown only in this response',
      audit: { action: 'operator.enable_2fa', on: 'second_factors' },
      body: coded,
      returns: Joi.object({ recovery_codes: Joi.array().items(Joi.string()).length(10).required() }),
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      run: async (services, { body, now }) => ({ recovery_codes: [...(await enableTwoFactor(services, OPERATOR_FACTOR, body.code, now))] }),
    }),
    row({
      ...common,
      access: 'operator',
      id: 'verifyOperatorSecondFactor',
      method: 'POST',
      path: '/v1/admin/2fa/verify',
      summary: 'Get an operator session',
      about:
        'Exchange a code for a session for `X-Admin-Session`. The session ends after 30 minutes without a call, and after 8 hours in any case',
      audit: { action: 'operator.sign_in' },
      withoutSession: true,
      body: coded,
      returns: Joi.object({ session: Joi.string().required(), expires_at: Timestamp.required() }),
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      async run(services, call) {
        const { body, operator, address, now } = call;
        const draft = operatorDraft(call, 'operator.sign_in', { kind: 'operator', id: OPERATOR_FACTOR }, []);
        await acceptAudited(services, { person: OPERATOR_FACTOR, code: body.code, draft }, now);
        return openOperatorSession(services, operator, address, now);
      },
    }),
    row({
      ...common,
      access: 'operator',
      id: 'disableOperatorTwoFactor',
      method: 'DELETE',
      path: '/v1/admin/2fa',
      summary: "Turn operators' two-factor off",
      about: 'Turn the second factor off',
      audit: { action: 'operator.disable_2fa', on: 'second_factors', kinds: ['delete'] },
      body: coded,
      returns: Done,
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      async run(services, { body, now }) {
        await disableTwoFactor(services, OPERATOR_FACTOR, body.code, now);
        await services.operatorSessions.endAll();
        return { ok: true as const };
      },
    }),
  ],
};
