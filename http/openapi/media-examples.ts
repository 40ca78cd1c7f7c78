import type { RowFacts } from '../core/engine.ts';

export function mediaExample({ samples }: Pick<RowFacts, 'samples'>, type: string): unknown {
  return samples?.[type] ?? COMMON[type];
}

/** Descriptions shown in place of bytes, which a JSON document cannot contain. */
const COMMON: Readonly<Record<string, unknown>> = {
  '*/*': 'The bytes of the file',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'The bytes of a workbook (.xlsx)',
  'application/zip': 'The bytes of a ZIP archive',
  'image/*': 'The bytes of a picture',
  'image/png': 'The bytes of a picture',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
  'multipart/form-data': { file: 'The bytes of the file' },
  'text/event-stream':
    'id: evt_01JZX5ZB4T8QKX3N9V7C2M6D1E\nevent: message.received\ndata: {"id":"evt_01JZX5ZB4T8QKX3N9V7C2M6D1E","type":"message.received","data":{}}\n\n',
  'text/html': '<!doctype html><html lang="en"><title>Gateway</title></html>',
  'text/javascript': '"client_revision":1027934701',
  'text/plain': 'Text',
};
