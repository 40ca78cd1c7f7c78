import { Agent, type Dispatcher } from 'undici';
import { BODY, measurePosts } from './post.ts';
import { startSink } from './sink.ts';

/** The minimum: a POST with undici, without signature, guard or deadline. */
const origin = `http://${await startSink()}`;
const agent = new Agent({ connections: 64 });
const headers = { 'content-type': 'application/json' };

const posting = (over: () => void): Dispatcher.DispatchHandler => ({
  onRequestStart() {},
  onResponseStart() {},
  onResponseData() {},
  onResponseEnd: over,
  onResponseError(_controller, cause) {
    throw cause;
  },
});

await measurePosts((over) => agent.dispatch({ origin, path: '/hook', method: 'POST', headers, body: BODY }, posting(over)));
