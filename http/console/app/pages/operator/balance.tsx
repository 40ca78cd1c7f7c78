import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Moves = Schemas['RebalanceResponse']['moves'];

/** `names` contains only the newest devices. The others are shown by id. */
interface Plan {
  readonly moves: Moves;
  readonly names: ReadonlyMap<string, string | null>;
}

const MOST_NAMES = 200;

async function planned(): Promise<Plan> {
  const { moves } = await call('rebalance', { body: { dry_run: true } });
  const sessions = moves.length === 0 ? [] : (await call('listAllSessions', { query: { limit: MOST_NAMES } })).sessions;
  return { moves, names: new Map(sessions.map(({ id, name, phone_display }) => [id, name ?? phone_display])) };
}

export function Balance(): JSX.Element {
  const t = words();
  const id = useId();
  const plan = useSignal<Plan | null>(null);
  const begun = useSignal<Moves | null>(null);
  const acting = useAct();
  const preview = (): Promise<void> =>
    acting.run(async () => {
      begun.value = null;
      plan.value = await planned();
    });
  const apply = (): Promise<void> =>
    acting.run(async () => {
      begun.value = (await call('rebalance', { body: { dry_run: false } })).moves;
      plan.value = null;
    });
  const count = plan.value?.moves.length ?? 0;
  return (
    <section class="card stack">
      <div>
        <h2>{t.balance}</h2>
        <p class="soft small">{t.balanceAbout}</p>
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div role="status" id={id}>
        {begun.value && (
          <p class="notice">{begun.value.length === 0 ? t.balanced : t.moving(begun.value.length, numberText(begun.value.length))}</p>
        )}
        {plan.value && <p>{count === 0 ? t.balanced : t.moves(count, numberText(count))}</p>}
      </div>
      {plan.value && count > 0 && <Table {...plan.value} />}
      <div class="card-foot apart">
        <button type="button" class="button" data-testid="rebalance-preview" disabled={acting.isBusy.value} onClick={preview}>
          {plan.value ? t.previewAgain : t.preview}
        </button>
        <button
          type="button"
          class="button first"
          data-testid="rebalance-apply"
          aria-describedby={id}
          disabled={count === 0 || acting.isBusy.value}
          onClick={apply}
        >
          {count === 0 ? t.apply : t.applyMoves(count, numberText(count))}
        </button>
      </div>
      <AsCode operation="rebalance" input={{ body: { dry_run: true } }} />
    </section>
  );
}

const MOST_SHOWN = 100;

function Table({ moves, names }: Plan): JSX.Element {
  const t = words();
  return (
    <section class="table-box" tabIndex={0} aria-label={t.balance}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.device}</th>
            <th scope="col">{t.from}</th>
            <th scope="col">{t.to}</th>
          </tr>
        </thead>
        <tbody>
          {moves.slice(0, MOST_SHOWN).map(({ device, from, to }) => (
            <tr key={device}>
              <td>
                <strong class="breaks">
                  <bdi>{names.get(device) ?? device}</bdi>
                </strong>
                {names.get(device) && <p class="tiny meta">{device}</p>}
              </td>
              <td>{from}</td>
              <td>{to}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
