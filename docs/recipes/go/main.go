package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

func main() {
	provider := ofrep.NewProvider(os.Getenv("FLAGS_URL"), ofrep.WithBearerToken(os.Getenv("FLAGS_TOKEN")))
	if err := openfeature.SetProviderAndWait(provider); err != nil {
		log.Fatal(err)
	}

	client := openfeature.NewClient("shop")
	ctx := context.Background()
	user := openfeature.NewEvaluationContext("user-42", map[string]any{"email": "ann@example.com"})
	isOn, _ := client.BooleanValue(ctx, "new-checkout", false, user)
	payload, _ := client.ObjectValue(ctx, "new-checkout.payload", map[string]any{"color": "grey"}, user)
	if isOn {
		fmt.Println("the new checkout, in", payload.(map[string]any)["color"])
	} else {
		fmt.Println("the old checkout")
	}
}
