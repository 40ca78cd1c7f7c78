import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { SegmentForm } from './segment-form.tsx';
import { words } from './words.ts';

type Segment = Schemas['Segment'];

export function SegmentsPage(): JSX.Element {
  const t = words();
  const segments = useResource('segments', (signal) => call('listSegments', {}, { signal }));
  const add = (
    <Opener label={t.add} testId="segment-new">
      {(isOpen, close) => (
        <Dialog title={t.add} isOpen={isOpen} onClose={close}>
          <SegmentForm segment={null} onClose={close} onSaved={segments.reload} />
        </Dialog>
      )}
    </Opener>
  );
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <Loaded of={segments}>
        {({ segments: list }) => (
          <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
            {(segment) => <Row key={segment.id} segment={segment} onChange={segments.reload} />}
          </Listing>
        )}
      </Loaded>
    </Page>
  );
}

function Row({ segment, onChange }: { readonly segment: Segment; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, rules } = segment;
  const removing = useAct();
  return (
    <EditableRow
      testId="segment-row"
      edit={{
        label: t.edit(name),
        form: (isOpen, close) => (
          <Dialog title={t.edit(name)} isOpen={isOpen} onClose={close}>
            <SegmentForm segment={segment} onClose={close} onSaved={onChange} />
          </Dialog>
        ),
      }}
      remove={{ label: t.remove(name), ask: t.removeAsk, run: () => call('deleteSegment', { params: { id } }) }}
      act={removing}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="soft small">{t.rules((rules.all ?? rules.any ?? []).length)}</p>
      </div>
    </EditableRow>
  );
}
