import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

provider = OFREPProvider(
    os.environ["FLAGS_URL"],
    headers_factory=lambda: {"Authorization": f"Bearer {os.environ['FLAGS_TOKEN']}"},
)
api.set_provider(provider)

client = api.get_client()
context = EvaluationContext("user-42", {"email": "ann@example.com"})
is_on = client.get_boolean_value("new-checkout", False, context)
payload = client.get_object_value("new-checkout.payload", {"color": "grey"}, context)
print(f"the new checkout, in {payload['color']}" if is_on else "the old checkout")
