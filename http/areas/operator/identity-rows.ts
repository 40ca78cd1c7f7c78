import Joi from 'joi';
import type { Contradiction, Identities } from '../../../store/identities/identities.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

export interface IdentityListServices {
  readonly identities: Pick<Identities, 'contradictions'>;
}

const row = rowsFor<IdentityListServices>();
const DEFAULT = 50;

const ContradictionSchema = Joi.object<Contradiction>({
  tenant_id: Ulid.required(),
  lid: Joi.string().required().example('182736450912345@lid'),
  numbers: Joi.array().items(Joi.string()).required().example(['6281234567890', '6281234567891']),
  since: Timestamp.required(),
}).meta({ title: 'IdentityContradiction' });

export const identityArea: Area<IdentityListServices> = {
  name: 'identities',
  about: 'Conflicting identities of people, as reported by the network, for operators',
  rows: [
    row({
      id: 'listIdentities',
      method: 'GET',
      path: '/v1/admin/identities',
      summary: 'List conflicting identities',
      about:
        'List hidden addresses for which the network reported two unrelated numbers, latest first. The contacts were not merged. The gateway asks the network once; a response about one of the numbers resolves the contradiction',
      access: 'operator',
      query: Joi.object<{ limit: number }>({ limit: Joi.number().integer().min(1).max(200).default(DEFAULT) }),
      status: 200,
      returns: Joi.object({ contradictions: Joi.array().items(ContradictionSchema).required() }),
      run: async ({ identities }, { query }) => ({ contradictions: await identities.contradictions(query.limit) }),
    }),
  ],
};
