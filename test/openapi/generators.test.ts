/** Clients in Go and Python are generated from both versions of the document; they compile, and call the server. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { isInstalled, whyPending } from '../installed/installed.js'
import { type EveryType, serveEveryType, TOKEN } from './every-type.js'

const INSTALLED = resolve('.cache/openapi-generators')
const HERE = resolve('test/installed/openapi-go')
const OAPI_CODEGEN = join(INSTALLED, 'bin/oapi-codegen')
const PYTHON = join(INSTALLED, 'venv/bin/python')

const run = promisify(execFile)

async function printed(cwd: string, program: string, argv: readonly string[], env: object = {}): Promise<string> {
  try {
    return (await run(program, argv, { cwd, env: { ...process.env, ...env } })).stdout
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string }
    throw new TypeError(`${program} ${argv.join(' ')} failed: ${stdout}${stderr}`)
  }
}

interface Generator {
  readonly title: string
  readonly tool: string
  /** Generates a client from `openapi.json` in the folder, and prints what it reads from the server. */
  readonly call: (folder: string, url: string) => Promise<string>
}

const GO_PROGRAM = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/client/api"
)

func main() {
	withToken := func(ctx context.Context, request *http.Request) error {
		request.Header.Set("X-API-KEY", os.Args[2])
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(withToken))
	if err != nil {
		panic(err)
	}
	words := []string{"x", "y"}
	parameters := &api.EveryTypeParams{Text: "abc", Period: "week", Words: &words}
	response, err := client.EveryTypeWithResponse(context.Background(), parameters)
	if err != nil {
		panic(err)
	}
	row := response.JSON200.Result[0]
	var days int = row.Days
	var money string = row.Money
	line, _ := json.Marshal([]any{days, row.Text, money, row.Words})
	fmt.Println(string(line))
}
`

const PYTHON_PROGRAM = `import json, sys
from api import AuthenticatedClient
from api.api.every import every_type
from api.models import EveryType

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
result = every_type.sync(client=client, text='abc', period='week', words=['x', 'y'])
assert isinstance(result, EveryType), result
row = result.result[0]
print(json.dumps([row.days, row.text, row.money, row.words], separators=(',', ':')))
`

const GENERATORS: readonly Generator[] = [
  {
    title: 'oapi-codegen (Go)',
    tool: 'oapi-codegen',
    async call(folder, url) {
      mkdirSync(join(folder, 'api'))
      for (const name of ['go.mod', 'go.sum']) cpSync(join(HERE, name), join(folder, name))
      writeFileSync(join(folder, 'main.go'), GO_PROGRAM)
      const argv = ['-package', 'api', '-generate', 'types,client', '-o', 'api/client.go', 'openapi.json']
      await printed(folder, OAPI_CODEGEN, argv)
      // What the installation has fetched is enough.
      return printed(folder, 'go', ['run', '.', url, TOKEN], { GOPROXY: 'off', GOFLAGS: '-mod=mod' })
    },
  },
  {
    title: 'openapi-python-client (Python)',
    tool: 'Schemathesis and openapi-python-client',
    async call(folder, url) {
      const options = ['--path', 'openapi.json', '--output-path', 'api', '--meta', 'none', '--fail-on-warning']
      const env = { PATH: `${join(INSTALLED, 'venv/bin')}:${process.env['PATH']}` }
      await printed(folder, PYTHON, ['-m', 'openapi_python_client', 'generate', ...options], env)
      writeFileSync(join(folder, 'program.py'), PYTHON_PROGRAM)
      return printed(folder, PYTHON, ['program.py', url, TOKEN])
    },
  },
]

describe('openapi: generated clients', function () {
  this.timeout(300_000)
  let server: EveryType
  before(async () => {
    server = await serveEveryType()
  })
  after(() => server.close())

  for (const { title, tool, call } of GENERATORS) {
    for (const version of ['3.1', '3.0']) {
      it(`${title} makes one of OpenAPI ${version} that calls the server${whyPending(tool)}`, async function () {
        // Go alone is on no list of what .ci/run installs.
        if (!isInstalled(tool)) this.skip()
        const folder = mkdtempSync(join(tmpdir(), 'sluice-generated-'))
        writeFileSync(join(folder, 'openapi.json'), await server.document(`?version=${version}`))
        const out = await call(folder, server.url)
        rmSync(folder, { recursive: true })
        expect(JSON.parse(out)).to.deep.equal([7, 'abc', '-12.5', ['x', 'y']])
      })
    }
  }
})
