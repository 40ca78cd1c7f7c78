import Joi from 'joi';
import { invalidField } from '../../actors/domain/refusals.ts';
import { isRecord, memberOf } from '../../runtime/shapes.ts';
import { fitting } from '../../store/paging/page.ts';
import type { RowFacts } from './engine.ts';
import type { WholeList } from './row.ts';

/**
 * Lists that are read whole and split into pages here. They are either short, because their length
 * is limited when they are written, or held by the phone network. Rows declare them with `list`,
 * and their handlers do not see `limit` and `before`.
 */

const MAX_LIMIT = 1_000;
const limit = Joi.number()
  .integer()
  .min(1)
  .max(MAX_LIMIT)
  .description('Maximum number of entries. Default: all, or on paged lists as many as fit into 1 MB');
const before = Joi.string().min(1).max(128).description('`next_before` of the previous page').example('3');

export const pagesOfList = { limit, before };

export const nextInList = {
  next_before: Joi.string()
    .allow(null)
    .required()
    .description('Send it as `before` to get the next page; null on the last page')
    .example(null),
};

const GONE = {
  en: 'names a record that no longer exists; start again without it',
  id: 'menunjuk data yang sudah tidak ada; mulai lagi tanpanya',
};

interface Asked {
  readonly limit?: number;
  readonly before?: string;
}

interface Runnable<Called> {
  readonly facts: RowFacts;
  run(call: Called): unknown;
}

export function withLimit<Called extends { readonly query: unknown }>({ facts, run }: Runnable<Called>): Runnable<Called> {
  const { list } = facts;
  if (!list) return { facts, run };
  const query = (facts.query ?? Joi.object()).keys(list.by ? pagesOfList : { limit });
  return {
    facts: { ...facts, query },
    async run(call) {
      const { limit, before, ...own }: Asked = isRecord(call.query) ? call.query : {};
      return shown(list, await run({ ...call, query: own }), {
        ...(limit !== undefined && { limit }),
        ...(before !== undefined && { before }),
      });
    },
  };
}

function shown({ of, by }: WholeList, answer: unknown, { limit, before }: Asked): unknown {
  const records: unknown = memberOf(answer, of);
  if (!isRecord(answer) || !Array.isArray(records)) return answer;
  if (!by) return { ...answer, [of]: records.slice(0, limit) };
  const keys = records.map((record) => keyOf(record, by));
  const from = before === undefined ? 0 : keys.indexOf(before) + 1;
  if (before !== undefined && from === 0) throw invalidField('before', GONE);
  const page = fitting(records.slice(from, limit && from + limit));
  const end = from + page.length;
  return { ...answer, [of]: page, next_before: end < records.length ? keys[end - 1] : null };
}

const keyOf = (record: unknown, by: readonly string[]): string =>
  String(by.map((name) => memberOf(record, name)).find((value) => value !== null && value !== undefined) ?? '');
