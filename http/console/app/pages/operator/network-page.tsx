import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call, callForBytes } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { browserZone } from '../../state/zone.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Check } from '../../ui/check.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { OperatorsOnly } from './gate.tsx';
import { words } from './network-words.ts';

type State = Schemas['NetworkState'];

export const NetworkPage = (): JSX.Element => (
  <OperatorsOnly title={words().title} about={words().about}>
    <Network />
    <Identities />
  </OperatorsOnly>
);

function Network(): JSX.Element {
  const network = useResource('network', (signal) => call('getNetwork', {}, { signal }));
  return (
    <Loaded of={network}>
      {({ build, unknown }) => (
        <>
          <Build build={build} network={network} />
          <Unknown unknown={unknown} />
        </>
      )}
    </Loaded>
  );
}

function Build({ build, network }: { readonly build: State['build']; readonly network: Resource<State> }): JSX.Element {
  const t = words();
  const isAsked = useSignal(false);
  const unpinning = useAct();
  const { version, source, age_days, expires_at, running, refused, canary } = build;
  const leave = (): Promise<void> => unpinning.run(async () => network.put(await call('pinBuild', { body: { version: null } })));
  return (
    <section class="card stack">
      <div class="card-head">
        <h2>{t.build}</h2>
        <div class="buttons">
          {source === 'pinned' && (
            <button type="button" class="button slim" disabled={unpinning.isBusy.value} onClick={leave}>
              {t.unpin}
            </button>
          )}
          <button type="button" class="button slim" aria-haspopup="dialog" onClick={() => (isAsked.value = true)}>
            {t.pin}
          </button>
        </div>
      </div>
      {unpinning.error.value && <Failure error={unpinning.error.value} onRetry={leave} />}
      <p>
        <strong class="figure-large">{version}</strong> <Badge tone={source === 'pinned' ? 'warn' : 'calm'} text={t.sources[source]} />
      </p>
      <p class="soft small">
        {t.age(age_days, numberText(age_days))} {expires_at !== null && t.expires(whenText(expires_at, browserZone))}
      </p>
      <dl class="lines small">
        {running.map((one) => (
          <div key={one.version}>
            <dt>{t.running(one.version)}</dt>
            <dd>{t.devices(one.devices, numberText(one.devices))}</dd>
          </div>
        ))}
        {canary && (
          <div>
            <dt>{t.canary(canary.version)}</dt>
            <dd>{t.since(whenText(canary.since, browserZone))}</dd>
          </div>
        )}
        {refused.map((one) => (
          <div key={one.version}>
            <dt>{t.refused(one.version)}</dt>
            <dd>{t.refusedAt(one.code, whenText(one.at, browserZone))}</dd>
          </div>
        ))}
      </dl>
      <PinForm
        key={String(isAsked.value)}
        isOpen={isAsked.value}
        onClose={() => (isAsked.value = false)}
        onPinned={(state) => {
          isAsked.value = false;
          network.put(state);
        }}
      />
    </section>
  );
}

interface PinFormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onPinned: (state: State) => void;
}

function PinForm({ isOpen, onClose, onPinned }: PinFormProps): JSX.Element {
  const t = words();
  const [version, force] = [useSignal(''), useSignal(false)];
  const input = { body: { version: version.value.trim(), ...(force.value && { force: true }) } };
  return (
    <FormDialog
      title={t.pin}
      verb={t.pinIt}
      isOpen={isOpen}
      onClose={onClose}
      save={async () => onPinned(await call('pinBuild', input))}
      code={<AsCode operation="pinBuild" input={input} />}
    >
      <p class="soft small">{t.pinAbout}</p>
      <Field label={t.version} required autocomplete="off" value={version.value} onValue={(value) => (version.value = value)} />
      <Check label={t.force} isOn={force.value} onChange={(isOn) => (force.value = isOn)} />
    </FormDialog>
  );
}

function Unknown({ unknown }: Pick<State, 'unknown'>): JSX.Element {
  const t = words();
  const saving = useAct();
  const kinds = [
    [t.contents, unknown.contents],
    [t.stanzas, unknown.stanzas],
  ] as const;
  const isNone = kinds.every(([, counts]) => Object.keys(counts).length === 0);
  const save = (): Promise<void> =>
    saving.run(async () =>
      saveFile(await callForBytes('getUnknownSamples', {}, { accept: 'application/x-ndjson' }), 'unknown-content.ndjson'),
    );
  return (
    <section class="card stack">
      <div class="card-head">
        <div>
          <h2>{t.unknown}</h2>
          <p class="soft small">{t.unknownAbout}</p>
        </div>
        <button type="button" class="button slim" disabled={saving.isBusy.value} onClick={save}>
          <Icon name="download" small />
          {t.samples}
        </button>
      </div>
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
      {isNone && <p class="soft">{t.noUnknown}</p>}
      {kinds.map(
        ([title, counts]) =>
          Object.keys(counts).length > 0 && (
            <div key={title} class="stack-small">
              <h3>{title}</h3>
              <dl class="lines small">
                {Object.entries(counts).map(([name, count]) => (
                  <div key={name}>
                    <dt class="breaks">
                      <code>{name}</code>
                    </dt>
                    <dd class="figures">{numberText(count)}</dd>
                  </div>
                ))}
              </dl>
            </div>
          ),
      )}
    </section>
  );
}

function Identities(): JSX.Element {
  const t = words();
  const identities = useResource('identities', (signal) => call('listIdentities', { query: { limit: 100 } }, { signal }));
  return (
    <section class="card stack">
      <div>
        <h2>{t.identities}</h2>
        <p class="soft small">{t.identitiesAbout}</p>
      </div>
      <Loaded of={identities}>
        {({ contradictions }) =>
          contradictions.length === 0 ? (
            <p class="soft">{t.noIdentities}</p>
          ) : (
            <section class="table-box" tabIndex={0} aria-label={t.identities}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.tenant}</th>
                    <th scope="col">{t.address}</th>
                    <th scope="col">{t.numbers}</th>
                    <th scope="col">{t.seen}</th>
                  </tr>
                </thead>
                <tbody>
                  {contradictions.map(({ tenant_id, lid, numbers, since }) => (
                    <tr key={`${tenant_id} ${lid}`}>
                      <td>
                        <code>{tenant_id}</code>
                      </td>
                      <td class="breaks">{lid}</td>
                      <td>
                        {numbers.map((number) => (
                          <p key={number}>
                            <bdi class="tel">{phoneText(number.replace(/\D/g, ''))}</bdi>
                          </p>
                        ))}
                      </td>
                      <td>{whenText(since, browserZone)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Loaded>
    </section>
  );
}
