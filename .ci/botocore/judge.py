"""Judges the AWS requests that the suites have recorded, by the service models of botocore.

python .ci/botocore/judge.py FOLDER [--sample]

FOLDER is what TEST_RECORD named while the suites ran. First, faults are planted in copies of recorded requests: each
must be found, and nothing else. Requests are compared as they were on the wire; those of clients with a mock by their
input. The last line has the numbers; the program fails for a problem, a fault that is not found, and too few requests.
--sample: these are the records of some tests only, which may be few and have no place for some of the faults.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from validation import Validation
from wire import Models, Unreadable, operation_named, read_request

# The services of functions and of programs, each of which the suites have requests to.
SERVICES = {
    'cloudformation', 'cloudfront', 'dynamodb', 'kms', 'lambda', 'logs', 's3', 'secretsmanager', 'sesv2', 'sns', 'sqs',
    'sts',
}  # fmt: skip
MIN_REQUESTS = 50_000
MIN_OPERATIONS = 70

# Problems that are of the emulator and not of the product: operation, path, the end of the text, and the reason.
EXCEPTIONS = {
    'the emulator spells ARNs as the logical ids of the template': (
        ('lambda.CreateFunction', 'lambda.UpdateFunctionConfiguration'),
        '.Role: ScriptSandboxRole',
        ' does not match the pattern',
    ),
}

# Faults: service, a text in the request, its replacement, and the problems that exactly must be found.
PLANTED = [
    ('dynamodb', 'body', '"TransactItems"', '"TransactItem"',
     ['.TransactItem (on the wire): unknown', '.TransactItems: missing']),
    ('dynamodb', 'body', '"ALL_OLD"', '"ALL_NEW_AND_OLD"',
     ['.TransactItems[].Put.ReturnValuesOnConditionCheckFailure: ALL_NEW_AND_OLD is not in the enumeration']),
    ('dynamodb', 'body', '"ConsistentRead":true', '"ConsistentRead":"yes"', ['.ConsistentRead: str is not boolean']),
    ('dynamodb', 'target', '.PutItem', '.PutItems', ['unknown operation PutItems']),
    ('secretsmanager', 'body', '"SecretId"', '"Secret"', ['.Secret (on the wire): unknown', '.SecretId: missing']),
    ('secretsmanager', 'body', '"SecretId":"', '"SecretId":"' + 2048 * '.', [re.compile(r'\.SecretId: \d+ is above 2048')]),
    ('lambda', 'body', '"arm64"', '"arm65"', ['.Architectures[]: arm65 is not in the enumeration']),
    ('lambda', 'body', '"Handler"', '"Handlers"', ['.Handlers (on the wire): unknown']),
    ('lambda', 'body', '"Timeout":', '"Timeout":-', [re.compile(r'\.Timeout: -\d+ is below 1')]),
    ('lambda', 'url', '/2015-03-31/functions', '/2015-03-31/function',
     [re.compile(r'no operation has \w+ /2015-03-31/function\b.*')]),
    ('sns', 'body', '&Name=', '&Names=', ['.Name: missing', '.Names (on the wire): unknown']),
    ('sns', 'body', '&Message=', '&Text=', ['.Message: missing', '.Text (on the wire): unknown']),
    ('s3', 'url', 'prefix=', 'prefixes=', ['.prefixes (on the wire): unknown']),
    ('s3', 'body', '<Object>', '<Objects>', ['.Delete.Objects: missing', '.Delete.Objects (on the wire): unknown']),
    ('sqs', 'body', '"Entries"', '"Entry"', ['.Entries: missing', '.Entry (on the wire): unknown']),
    ('ses', 'body', '"Content"', '"Contents"', ['.Content: missing', '.Contents (on the wire): unknown']),
    ('cloudformation', 'body', 'StackName=', 'Stack.Name=', ['.Stack (on the wire): unknown', '.StackName: missing']),
    ('logs', 'body', '"logGroupNamePrefix":"', '"logGroupNamePrefix":"?',
     [re.compile(r'\.logGroupNamePrefix: .* does not match the pattern')]),
]  # fmt: skip


def main(folder, is_sample):
    records, requests = load(folder)
    models = Models()
    failures = planted_failures(models, records, is_sample)
    found, operations, unread = judge(models, records)
    used = set()
    for (operation, problem), urls in sorted(found.items()):
        reason = excepted(operation, problem)
        used.add(reason)
        if reason is None:
            failures.append(f'{operation}{problem}, in {len(urls)} requests, as {urls[0]}')
    services = {name.partition('.')[0] for name in operations}
    if not is_sample:
        failures += [f'an exception that nothing needs: {reason}' for reason in EXCEPTIONS if reason not in used]
        if not SERVICES <= services:
            failures.append(f'no requests to {", ".join(sorted(SERVICES - services))}')
        if requests < MIN_REQUESTS or len(operations) < MIN_OPERATIONS:
            failures.append(f'fewer than {MIN_REQUESTS} requests, or than {MIN_OPERATIONS} operations, were recorded')
    for failure in failures:
        print(f'FAILED: {failure}')
    if unread:
        print(f'{len(unread)} patterns are not readable by Python and were not compared')
    print(
        f'judged {requests} requests, {len(records)} different ones, of {len(operations)} operations of '
        f'{len(services)} services: {len(failures)} failures; {len(PLANTED)} planted faults, '
        f'{len(EXCEPTIONS)} named exceptions'
    )
    return 1 if failures else 0


def load(folder):
    """Returns the recorded requests, and how many they stand for."""
    records, requests = [], 0
    for path in sorted(Path(folder).glob('*.requests.jsonl')):
        for line in path.read_text(encoding='utf-8').split('\n')[:-1]:
            record = json.loads(line)
            if 'requests' in record:
                requests += record['requests']
            else:
                records.append(record)
    return records, requests


def judge(models, records):
    """Returns addresses of requests by operation and problem, how often each operation is there, and unread patterns."""
    found, operations, validation = {}, Counter(), Validation()
    for record in records:
        name, problems = judge_one(models, validation, record)
        operations[name] += 1
        for problem in problems:
            found.setdefault((name, problem), []).append(record.get('url', 'the input of a mocked client'))
    return found, operations, validation.unread_patterns


def judge_one(models, validation, record):
    """Returns the name of an operation, and what is wrong with one request of it."""
    try:
        if 'client' in record:
            operation = operation_named(models.of_client(record['client']), record['operation'])
            params, has_wire = record['input'], False
        else:
            operation, params = read_request(models, record)
            has_wire = True
    except Unreadable as unreadable:
        return record.get('service', record.get('client')), [str(unreadable)]
    name = f'{operation.service_model.service_name}.{operation.name}'
    return name, validation.problems(operation.input_shape, params, has_wire)


def planted_failures(models, records, is_sample):
    """Returns a text for each planted fault that is not found, or not exactly."""
    failures = []
    for service, place, text, fault, expected in PLANTED:
        name = f'{service}: {text} as {fault[:40]}'
        record = next((each for each in records if is_fit(each, service, place, text, expected)), None)
        if record is None:
            if not is_sample:
                failures.append(f'no recorded request has a place for a fault, {name}')
            continue
        _, before = judge_one(models, Validation(), record)
        _, problems = judge_one(models, Validation(), planted(record, place, text, fault))
        found = [problem for problem in problems if problem not in before]
        if len(found) != len(expected) or not all(map(is_expected, sorted(expected, key=str), found)):
            failures.append(f'a planted fault is not found as it should be, {name}: {found}')
    return failures


def is_fit(record, service, place, text, expected):
    """Checks whether a fault can be planted in a request: an enumeration of a part that others have too is of one part."""
    if record.get('service') != service or text not in text_of(record, place):
        return False
    parts = {part for part in ('Put', 'Delete', 'ConditionCheck', 'Update') if f'{{"{part}":' in record['body']}
    return '[].Put.' not in str(expected[0]) or parts == {'Put'}


def text_of(record, place):
    return record['headers'].get('x-amz-target', '') if place == 'target' else record[place]


def planted(record, place, text, fault):
    changed = text_of(record, place).replace(text, fault).replace(f'</{text[1:]}', f'</{fault[1:]}')
    if place == 'target':
        return {**record, 'headers': {**record['headers'], 'x-amz-target': changed}}
    return {**record, place: changed}


def is_expected(expected, found):
    return expected == found if isinstance(expected, str) else expected.fullmatch(found) is not None


def excepted(operation, problem):
    """Returns the reason for which a problem is none; None without one."""
    for reason, (operations, start, end) in EXCEPTIONS.items():
        if operation in operations and problem.startswith(start) and problem.endswith(end):
            return reason
    return None


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ['--sample']):
        sys.exit('usage: python .ci/botocore/judge.py FOLDER [--sample]')
    sys.exit(main(sys.argv[1], len(sys.argv) == 3))
