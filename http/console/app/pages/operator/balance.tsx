import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Moves = Schemas['RebalanceResponse']['moves'];

/** Spreads the devices over the nodes: first what would move, then the moves. */
export function Balance(): JSX.Element {
  const t = words();
  const planned = useSignal<Moves | null>(null);
  const begun = useSignal<Moves | null>(null);
  const acting = useAct();
  const preview = (): Promise<void> =>
    acting.run(async () => {
      begun.value = null;
      planned.value = (await call('rebalance', { body: { dry_run: true } })).moves;
    });
  const apply = (): Promise<void> =>
    acting.run(async () => {
      begun.value = (await call('rebalance', { body: { dry_run: false } })).moves;
      planned.value = null;
    });
  return (
    <section class="card stack">
      <h2>{t.balance}</h2>
      <p class="soft">{t.balanceAbout}</p>
      <div class="buttons">
        <button type="button" class="button" data-testid="rebalance-preview" disabled={acting.isBusy.value} onClick={preview}>
          {t.preview}
        </button>
        <button
          type="button"
          class="button first"
          data-testid="rebalance-apply"
          disabled={planned.value === null || acting.isBusy.value}
          onClick={apply}
        >
          {t.apply}
        </button>
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div role="status" class="stack">
        {begun.value && <p>{t.moved(numberText(begun.value.length))}</p>}
        {planned.value && <p>{planned.value.length === 0 ? t.noMoves : t.moves(numberText(planned.value.length))}</p>}
      </div>
      {planned.value && planned.value.length > 0 && <Table moves={planned.value} />}
      <AsCode operation="rebalance" input={{ body: { dry_run: true } }} />
    </section>
  );
}

const MOST_SHOWN = 100;

function Table({ moves }: { readonly moves: Moves }): JSX.Element {
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
                <code>{device}</code>
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
