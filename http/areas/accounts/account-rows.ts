import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { AccountDeletion } from '../../../actors/services/privacy/account-deletion.ts';
import type { DeletionRow } from '../../../store/privacy/deletions.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done, Timestamp } from '../../core/schemas.ts';

export interface AccountServices {
  readonly accountDeletion: AccountDeletion;
  hintDeletions(now: number): void;
}

const Deletion = Joi.object({
  requested_at: Timestamp.required(),
  effective_at: Timestamp.required().description('The deletion can be cancelled until then'),
}).meta({ title: 'AccountDeletion' });

const row = rowsFor<AccountServices>();

export const account: Area<AccountServices> = {
  name: 'account',
  about: 'Delete the account, or cancel its deletion. Only for the account owner',
  rows: [
    row({
      access: 'owner',
      id: 'deleteAccount',
      method: 'DELETE',
      path: '/v1/account',
      summary: 'Delete the account',
      about:
        'Delete the account. Logins and API keys stop working and devices are logged out at once. All data is removed after 30 minutes. Returns CONFLICT while a data hold is active',
      audit: { action: 'account.delete', on: 'account_deletions', kinds: ['insert'], target: 'tenant' },
      stepUp: true,
      body: Joi.object<{ confirm?: boolean }>({ confirm: Joi.boolean().example(true) }),
      status: 202,
      returns: Deletion,
      refuses: ['CONFIRMATION_REQUIRED', 'CONFLICT'],
      async run({ accountDeletion, hintDeletions }, { caller, body, now }) {
        if (body.confirm !== true) throw refusal('CONFIRMATION_REQUIRED');
        const begun = await accountDeletion.begin(caller.tenantId, now);
        hintDeletions(now);
        return shown(begun);
      },
    }),
    row({
      access: 'owner',
      id: 'getAccount',
      whileEnding: true,
      method: 'GET',
      path: '/v1/account',
      summary: 'Get the deletion status',
      about: "Get the status of the account's deletion",
      status: 200,
      returns: Joi.object({ deletion: Deletion.allow(null).required() }),
      async run({ accountDeletion }, { caller }) {
        const found = await accountDeletion.find(caller.tenantId);
        return { deletion: found && shown(found) };
      },
    }),
    row({
      access: 'owner',
      id: 'restoreAccount',
      whileEnding: true,
      method: 'POST',
      path: '/v1/account/restore',
      summary: 'Restore the account',
      about: 'Cancel the deletion of the account. Sign in again first. Afterwards, create new API keys and link the devices again',
      audit: { action: 'account.restore', on: 'account_deletions', kinds: ['delete'], target: 'tenant' },
      stepUp: { none: 'keeps data that would otherwise be removed' },
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ accountDeletion }, { caller, now }) {
        await accountDeletion.withdraw(caller.tenantId, now);
        return { ok: true as const };
      },
    }),
  ],
};

const shown = ({ requested_at, effective_at }: DeletionRow): object => ({ requested_at, effective_at });
