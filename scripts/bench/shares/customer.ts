/** How to call the node as one tenant; plain data, for another thread. */
export interface Access {
  readonly url: string;
  readonly authorization: string;
  /** `/v1/sessions/{id}` of its device, which is online by its row only. */
  readonly device: string;
}

/** One tenant, as it calls the node. */
export interface Customer {
  readonly device: string;
  call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer> | object, type?: string): Promise<CustomerAnswer>;
}

export interface CustomerAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape; the pools know theirs
  readonly body: any;
}

/** What both tenants know. */
export interface Scene {
  /** As much as the flooding tenant sends in one call. */
  readonly many: number;
  /** The address of a host whose path is the milliseconds after which a small file comes. */
  readonly files: string;
}

export const customerWith = ({ url, authorization, device }: Access): Customer => ({
  device,
  async call(method, path, body, type = 'application/json') {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
    const headers = { authorization, ...(body !== undefined && { 'content-type': type }) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  },
});
