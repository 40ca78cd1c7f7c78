import Joi from 'joi';
import { AUDIT_FAULTS } from '../../../store/audit/check-chain.ts';
import type { AuditRow } from '../../../store/audit/entry.ts';
import { nextPage, paging, TimeInput, Timestamp, Ulid } from '../../core/schemas.ts';

export interface AuditQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly before?: number | null;
  readonly before_id?: string | null;
}

const Word = Joi.string().max(128);

export const auditQuery = Joi.object<AuditQuery>({
  actor: Word.example('owner').description('Who acted: an id, or one of `owner`, `agent`, `key`, `operator`, `system`'),
  action: Word.example('key.create'),
  target: Word.description('The id of the affected record; for a person, the number'),
  since: TimeInput,
  until: TimeInput,
  ...paging,
});

const Maybe = Joi.string().allow(null).required();

const AuditEntry = Joi.object({
  id: Ulid.required(),
  seq: Joi.number().integer().min(1).required().description('The number of the entry in the log. Numbers have no gaps'),
  at: Timestamp.required(),
  actor: Joi.object({
    kind: Joi.string().valid('owner', 'agent', 'key', 'operator', 'system').required(),
    id: Maybe,
    name: Maybe,
  }).required(),
  auth: Joi.string().valid('otp', 'totp', 'passkey', 'api_key', 'secret').allow(null).required(),
  address: Maybe.description('The IP address of the call'),
  request_id: Maybe,
  action: Joi.string().required().example('key.create'),
  target: Joi.object({ kind: Joi.string().required(), id: Maybe }).required(),
  result: Joi.string().valid('ok', 'refused').required(),
  code: Maybe.description('The error code of a refused action; `OUTCOME_UNKNOWN` if the action started but its result is not known'),
  changes: Joi.array()
    .items(Joi.object({ field: Joi.string().required(), from: Joi.any().required(), to: Joi.any().required() }))
    .required()
    .description('`changed` replaces values that the log does not keep'),
}).meta({ title: 'AuditEntry' });

export const AuditEntries = Joi.object({ entries: Joi.array().items(AuditEntry).required(), ...nextPage });

const FAULTS = Object.entries(AUDIT_FAULTS)
  .map(([fault, is]) => `\`${fault}\`: ${is}`)
  .join('; ');

export const AuditVerdictSchema = Joi.object({
  ok: Joi.boolean().required(),
  from_seq: Joi.number().integer().required().description('Earlier entries were removed when their retention period ended'),
  to_seq: Joi.number().integer().required(),
  first_bad_seq: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('The first entry that does not match what was written; null if all entries match'),
  faults: Joi.array()
    .items(
      Joi.object({
        seq: Joi.number().integer().required(),
        fault: Joi.string()
          .valid(...Object.keys(AUDIT_FAULTS))
          .required(),
      }),
    )
    .description(`When \`ok\` is false: each problem with the number of its entry, at most 20 of a kind. ${FAULTS}`),
}).meta({ title: 'AuditVerdict' });

export function toEntry(row: AuditRow): object {
  const { _id: id, seq, at, actor_kind, actor_id, auth, request_id, action, target_kind, target_id, result, code, detail } = row;
  return {
    id,
    seq,
    at,
    actor: { kind: actor_kind, id: actor_id, name: detail?.actor_name ?? null },
    auth,
    address: detail?.address ?? null,
    request_id,
    action,
    target: { kind: target_kind, id: detail?.person ?? target_id },
    result,
    code,
    changes: detail?.changes ?? [],
  };
}
