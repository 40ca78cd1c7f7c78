class MessagingGatewayApi {
  constructor() {
    this.name = 'messagingGatewayApi';
    this.displayName = 'Messaging Gateway API';
    this.properties = [
      {
        displayName: 'Address',
        name: 'url',
        type: 'string',
        default: 'http://127.0.0.1:8080',
        description: 'Without a path. The sandbox of a gateway has its own address and keys. Create a second credential for it.',
      },
      { displayName: 'API Key', name: 'apiKey', type: 'string', typeOptions: { password: true }, default: '' },
    ];
    this.authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } } };
    this.test = { request: { baseURL: '={{$credentials.url}}', url: '/v1/me' } };
  }
}

module.exports = { MessagingGatewayApi };
