/** Why an nginx can't be brought to this machine, in words that go behind "not run: ". */
export class NotToBeHad extends Error {
  override readonly name = 'NotToBeHad';
}
