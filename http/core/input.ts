import { type Fault, invalid, refusal } from '../../actors/domain/refusals.ts';
import { before } from '../../runtime/invariant.ts';
import { whenThere } from '../../runtime/when-there.ts';
import { faultsOf } from './faults.ts';
import type { Validate } from './validate.ts';

/** Turns faults in the path into NOT_FOUND, except for the errors of custom rules (INVALID_JID). */
export function orUnknown<T>(params: () => T): T {
  try {
    return params();
  } catch (cause) {
    throw faultsOf(cause) === null ? cause : refusal('NOT_FOUND');
  }
}

interface Input {
  readonly query: unknown;
  readonly body: unknown;
}

/** With `inTurn`, an invalid query is rejected before the body is read. */
export function bothOf(readQuery: () => unknown, order: 'together' | 'inTurn', readBody: () => unknown): Input | Promise<Input> {
  let query: unknown;
  try {
    query = readQuery();
  } catch (cause) {
    if (order === 'inTurn') throw cause;
    return neitherOf(faultsOf(cause) ?? fail(cause), readBody);
  }
  return whenThere(readBody(), (body) => ({ query, body }));
}

async function neitherOf(faults: readonly Fault[], readBody: () => unknown): Promise<never> {
  try {
    await readBody();
  } catch (cause) {
    throw invalid([...faults, ...(faultsOf(cause) ?? fail(cause))]);
  }
  throw invalid(faults);
}

export function checking(validate: Validate, check: (body: object) => readonly Fault[]): Validate {
  const found = (value: unknown): readonly Fault[] => (isFields(value) ? check(value) : []);
  return (sent, turn) => {
    const accepted = (valid: unknown): unknown => {
      const faults = found(valid);
      if (faults.length > 0) throw invalid(faults);
      return valid;
    };
    const refused = (cause: unknown): never => {
      const wrong = faultsOf(cause) ?? fail(cause);
      const unsound = wrong.map(unsoundPart);
      const also = found(without(sent, unsound));
      throw invalid([...wrong, ...also.filter(({ path }) => !unsound.some((part) => liesIn(part, path)))]);
    };
    let valid: unknown;
    try {
      valid = validate(sent, turn);
    } catch (cause) {
      return refused(cause);
    }
    return valid instanceof Promise ? valid.then(accepted, refused) : accepted(valid);
  };
}

function unsoundPart({ path }: Fault): string {
  const steps = path.split('.');
  const item = steps.findIndex((step) => /^\d+$/.test(step));
  return steps.slice(0, item + 1).join('.') || before(path, '.');
}

const liesIn = (part: string, path: string): boolean => path === part || path.startsWith(`${part}.`);

/** A removed list item leaves a hole, so that the indexes of the other items do not change. */
function without(value: unknown, paths: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const gone = new Set(paths.filter((path) => !path.includes('.')));
  const below = Map.groupBy(
    paths.filter((path) => path.includes('.')),
    (path) => before(path, '.'),
  );
  const copy: object = Array.isArray(value) ? value.slice() : Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name)));
  if (Array.isArray(value)) for (const step of gone) Reflect.deleteProperty(copy, step);
  for (const [step, some] of below) {
    const rest = some.map((path) => path.slice(step.length + 1));
    if (!gone.has(step) && Object.hasOwn(copy, step)) Reflect.set(copy, step, without(Reflect.get(copy, step), rest));
  }
  return copy;
}

const isFields = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function fail(cause: unknown): never {
  throw cause;
}
