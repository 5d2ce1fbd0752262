import { testDriverContract } from '../../src/drivers/contract-test.ts';
import { sampleListener } from '../../src/drivers/testing/sample-model.ts';
import { echoBackend, freePort, nginxHarness, request } from './nginx-harness.ts';

testDriverContract('nginx', async (t) => {
  const { driver } = nginxHarness(t);
  const port = await freePort();
  return {
    driver,
    listener: sampleListener('http', port),
    request: (host, path) => request(port, host, path),
    endpoint: (text) => echoBackend(t, text),
  };
});
