import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { programOf } from './program-of.ts';
import { words } from './words.ts';

export function Logins(): JSX.Element {
  const t = words();
  const logins = useResource('logins', (signal) => call('listLogins', {}, { signal }));
  return (
    <section class="card parts">
      <div class="setting">
        <div>
          <h3>{t.logins}</h3>
          <p>{t.loginsAbout}</p>
        </div>
      </div>
      <Loaded of={logins}>
        {({ logins: list }) => (
          <ul class="list">
            {list.map((login) => (
              <Row key={login.id} login={login} onChange={logins.reload} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Row({ login, onChange }: { readonly login: Schemas['Login']; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, created_at, last_seen_at, address, agent, user_agent, current } = login;
  const program = user_agent === null ? agent : programOf(user_agent);
  const ending = useAct();
  const end = (): Promise<void> =>
    ending.run(async () => {
      await call('endLogin', { params: { id } });
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <p class="breaks">{program ?? t.unknown}</p>
          <p class="soft small">
            {address !== null && `${address} · `}
            {t.since(whenText(created_at))} · {t.seen(whenText(last_seen_at))}
          </p>
        </div>
        {current ? (
          <Badge tone="good" text={t.here} />
        ) : (
          <button
            type="button"
            class="button slim"
            aria-label={t.endOf(program ?? address ?? id)}
            disabled={ending.isBusy.value}
            onClick={end}
          >
            {t.end}
          </button>
        )}
      </div>
      {ending.error.value && <Failure error={ending.error.value} onRetry={end} />}
    </li>
  );
}
